"""Reads what the partition's view knows of an origin before the origin is served.

Its host, its robots.txt, how much of its domain was fetched, which of its next URLs have failed, and the previous
visits of those that are fetched again: one question for each origin, and many origins in one hop to a worker thread
(`view_reads.py`). The queue comes back when memory has all of it. In the first run of a crawl the view knows nothing,
and nothing is read until something is forgotten.
"""

from asyncio import Future
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from hondius.clock import Clock
from hondius.crawler.boundary import Boundary
from hondius.crawler.budgets import HostBudgets
from hondius.crawler.frontier import BackQueue, Frontier, Retries
from hondius.crawler.page import PreviousVisits
from hondius.crawler.politeness import Hosts, RobotsDesk
from hondius.crawler.view_reads import ViewReads
from hondius.errors import is_internal
from hondius.native import registrable_domain

Read = tuple[Callable[[], Any], Callable[[Any], object]]
"""What is read on the worker thread, and who learns it on the event loop."""


class OriginReads:
    def __init__(
        self,
        *,
        reads: ViewReads,
        hosts: Hosts,
        robots: RobotsDesk,
        budgets: HostBudgets,
        retries: Retries,
        visits: PreviousVisits,
        frontier: Frontier,
        boundary: Boundary,
        clock: Clock,
        ended: Callable[[BaseException | None], None],
    ) -> None:
        """`ended`: is told after each read, with what went wrong if that is no bug of ours."""
        self._reads = reads
        self._hosts = hosts
        self._robots = robots
        self._budgets = budgets
        self._retries = retries
        self._visits = visits
        self._frontier = frontier
        self._boundary = boundary
        self._clock = clock
        self._ended = ended
        self.under_way = 0

    def read(self, queue: BackQueue) -> None:
        """The queue goes back to the frontier when memory has what its origin needs."""
        wanted = list(self._wanted(queue))
        self.under_way += 1
        self._ask(wanted).add_done_callback(partial(self._learn, queue, wanted))

    def read_hosts(self, names: Iterable[str]) -> None:
        wanted = [self._of_host(name) for name in names]
        self.under_way += 1
        self._ask(wanted).add_done_callback(partial(self._learn, None, wanted))

    def _ask(self, wanted: list[Read]) -> Future[list[Any]]:
        return self._reads.ask(lambda: [read() for read, _ in wanted])

    def _of_host(self, name: str) -> Read:
        return partial(self._hosts.read, name), partial(self._hosts.learn, name)

    def _wanted(self, queue: BackQueue) -> Iterable[Read]:
        host = self._hosts.here(queue.host)
        if host is None:
            yield self._of_host(queue.host)
        if self._robots.lacks(queue.origin):
            yield partial(self._robots.read, queue.origin), partial(self._robots.learn, queue.origin)
        domain = host.domain if host is not None else registrable_domain(queue.host) or queue.host
        if self._budgets.lacks(domain):
            yield partial(self._budgets.read, domain), partial(self._budgets.learn, domain)
        if keys := self._frontier.unread(queue):
            yield partial(self._retries.read, keys), partial(self._frontier.recall, queue)
        if urls := self._visits.lacking(queue.in_memory()):
            yield partial(self._visits.read, urls), partial(self._visits.learn, urls)

    def _learn(self, queue: BackQueue | None, wanted: list[Read], asked: Future[list[Any]]) -> None:
        """A bug makes the origin wait, as any bug in its preparation does."""
        self.under_way -= 1
        if asked.cancelled():
            return None
        try:
            for (_, learn), answer in zip(wanted, asked.result(), strict=True):
                learn(answer)
        except BaseException as error:
            if not is_internal(error):
                return self._ended(error)
            if queue is not None:
                self._boundary.end_preparation(queue, error)
        else:
            if queue is not None:
                self._frontier.put_back(queue, self._clock.now())
        return self._ended(None)
