"""Hosts that need an address or a robots.txt before a URL of theirs is handed out."""

from asyncio import CancelledError
from collections import deque

from hondius.crawler.blacklist import Blacklist
from hondius.crawler.boundary import Boundary
from hondius.crawler.frontier import BackQueue, Frontier
from hondius.crawler.host_preparation import HostPreparation
from hondius.crawler.outcomes import Outcomes
from hondius.crawler.politeness import Hosts
from hondius.crawler.run.origin_reads import OriginReads
from hondius.crawler.run.tasks import Tasks
from hondius.errors import is_internal

FULL_LANE = 1.0
"""Seconds until a slow host is tried again when the slow lane is full."""
AT_ONCE = 0.0
"""A time in the past: due at once."""


class Preparations:
    def __init__(
        self,
        *,
        tasks: Tasks,
        preparation: HostPreparation,
        origins: OriginReads,
        hosts: Hosts,
        frontier: Frontier,
        blacklist: Blacklist,
        outcomes: Outcomes,
        boundary: Boundary,
    ) -> None:
        self.slots = tasks.slots
        self.waiting: deque[BackQueue] = deque()
        """Origins that wait for a slot to be prepared."""
        self._tasks = tasks
        self._preparation = preparation
        self._origins = origins
        self._hosts = hosts
        self._frontier = frontier
        self._blacklist = blacklist
        self._outcomes = outcomes
        self._boundary = boundary

    def __len__(self) -> int:
        """Origins that are prepared or wait for it, and those that are read from the view."""
        return len(self.slots) + len(self.waiting) + self._origins.under_way

    def may_begin_waiting(self, now: float) -> bool:
        return bool(self.waiting) and not self.slots.are_full(now)

    def begin(self, queue: BackQueue, now: float) -> None:
        """If too many hosts are being prepared, the origin waits here and does not delay those that are ready."""
        host = self._hosts.get_loaded(queue.host)
        if host is None:
            self._origins.read(queue)
        elif self._blacklist.covers(queue.origin):
            self._refuse(queue, now)
        elif host.is_slow and self.slots.slow_lane_is_full():
            self._frontier.put_back(queue, now + FULL_LANE)
        elif not host.is_slow and self.slots.are_full(now):
            self.waiting.append(queue)
        else:
            self._tasks.start(self._prepare(queue), now, host)

    async def _prepare(self, queue: BackQueue) -> None:
        try:
            await self._preparation.prepare(queue)
        except CancelledError:
            self._frontier.put_back(queue, AT_ONCE)
            raise
        except BaseException as error:
            if not is_internal(error):
                raise
            self._boundary.end_preparation(queue, error)
        else:
            self._boundary.note_prepared(queue)

    def _refuse(self, queue: BackQueue, now: float) -> None:
        """Its host is on the blacklist: not even robots.txt is requested."""
        url = self._frontier.pop_any_url(queue)
        if url is None:
            return self._frontier.drop(queue)
        with self._boundary.around(queue, url):
            self._outcomes.finish_refused(url, "blacklisted")
        return self._frontier.put_back(queue, now)
