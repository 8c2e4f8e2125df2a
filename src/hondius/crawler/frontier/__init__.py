"""The frontier: which URL is next (F1).

Two tiers, as in Mercator. URLs wait in the URL store, in a back queue per origin and 16 priority
classes. Here live only the origins: *ready* ones in 16 rows by the class of their best URL, waiting ones
in a heap by the time they may next be contacted, *sleeping* ones as bare numbers until there is room for
them, and *resting* ones, which wait for long, as a number and a time. An origin enters when the store says
that it has something queued, and leaves when its time comes and nothing is left: the store had fewer than it was
asked for, and they were handed out. A URL that was handed out comes back by its journey: finished, or to be
tried again. Nothing here reads the partition's view: where memory does not have all failures, `Unread` says so.
"""

from hondius.crawler.frontier.back_queue import BackQueue
from hondius.crawler.frontier.frontier import Frontier, Unread
from hondius.crawler.frontier.retries import MOST_IN_MEMORY, Retries

__all__ = ["MOST_IN_MEMORY", "BackQueue", "Frontier", "Retries", "Unread"]
