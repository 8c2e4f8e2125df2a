"""Checks a URL just before it is handed out, and ends it if it is not to be requested any more."""

from hondius.crawler.blacklist import Blacklist
from hondius.crawler.frontier import BackQueue, Frontier
from hondius.crawler.outcomes import Outcomes
from hondius.native import QueuedUrl

BLACKLISTED = "blacklisted"


class RefusalCheck:
    def __init__(self, blacklist: Blacklist, frontier: Frontier, outcomes: Outcomes) -> None:
        self._blacklist = blacklist
        self._frontier = frontier
        self._outcomes = outcomes

    def end_if_refused(self, url: QueuedUrl, queue: BackQueue) -> bool:
        """Ends the URL if its host is on the blacklist or its shape brings nothing new. Returns whether it did."""
        refused = BLACKLISTED if self._blacklist.covers(queue.origin) else self._frontier.find_refusal(url)
        if refused:
            self._outcomes.finish_refused(url, refused)
        return bool(refused)
