"""The frontier: which URL is next (F1).

Two tiers, as in Mercator. URLs wait in the URL store, in a back queue per origin and 16 priority
classes. Here live only the origins: *ready* ones in 16 rows by the class of their best URL, the others
in a heap by the time they may next be contacted. An origin enters when the store says that it has
something queued, and leaves when the store has nothing more for it. A URL that was handed out comes
back by its journey: finished, or to be tried again.
"""

from hondius.crawler.frontier.frontier import BackQueue, Frontier

__all__ = ["BackQueue", "Frontier"]
