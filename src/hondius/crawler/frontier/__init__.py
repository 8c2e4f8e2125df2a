"""The frontier: chooses which URL is next (F1).

It has two tiers, as in Mercator. URLs wait in the URL store, in one back queue per origin and 16 priority classes. The
frontier itself holds only origins. *Ready* origins are in 16 rows, by the class of their best URL. *Waiting* ones are
in a heap, by the time at which they may be contacted. *Sleeping* ones are bare numbers until there is room for them.
*Resting* ones, which wait long, are a number and a time. An origin enters when the store says that it has something
queued. It is forgotten when it is due and has no URL left. If the store returns fewer URLs than asked for, it has no
more, and is not asked again until a frame adds some. The journey of a URL that was handed out reports it as finished,
or as to be retried. Nothing here reads the partition's view: if memory does not have all failures, `Unread` is raised.
"""

from hondius.crawler.frontier.back_queue import BackQueue
from hondius.crawler.frontier.frontier import LOOK_AGAIN, Frontier, Unread
from hondius.crawler.frontier.retries import MOST_IN_MEMORY, Retries

__all__ = ["LOOK_AGAIN", "MOST_IN_MEMORY", "BackQueue", "Frontier", "Retries", "Unread"]
