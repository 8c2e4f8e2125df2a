"""Reads what the partition's view has of an origin before the origin is served.

That is: its host, its robots.txt, the pages fetched of its domain, which of its next URLs have failed, and the previous
visits of those that are fetched again. There is one read for each origin, and many origins share one hop to a worker
thread (`view_reads.py`). The queue goes back when memory has everything. In the first run of a crawl the view is empty,
and nothing is read until something is forgotten.
"""

from asyncio import Future
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from hondius.crawler.boundary import Boundary
from hondius.crawler.budgets import HostBudgets
from hondius.crawler.frontier import BackQueue, Frontier
from hondius.crawler.page import PreviousVisits
from hondius.crawler.politeness import Host, Hosts, RobotsCache
from hondius.crawler.run.state import RunState
from hondius.crawler.view_reads import ViewReads
from hondius.errors import is_internal
from hondius.native import registrable_domain

AT_ONCE = 0.0
"""A time in the past: due at once."""

Read = tuple[Callable[[], Any], Callable[[Any], object]]
"""What is read on the worker thread, and the function that takes the result on the event loop."""


class OriginReads:
    def __init__(
        self,
        *,
        reads: ViewReads,
        hosts: Hosts,
        robots: RobotsCache,
        budgets: HostBudgets,
        visits: PreviousVisits,
        frontier: Frontier,
        boundary: Boundary,
        state: RunState,
    ) -> None:
        self.visits = visits
        self.under_way = 0
        self._reads = reads
        self._hosts = hosts
        self._robots = robots
        self._budgets = budgets
        self._frontier = frontier
        self._boundary = boundary
        self._state = state

    def read(self, queue: BackQueue) -> None:
        """Puts the queue back into the frontier when memory has what its origin needs."""
        self._start(list(self._list_reads(queue)), queue)

    def find_hosts(self, names: Sequence[str]) -> list[Host] | None:
        """The hosts, in the same order. None if some must be read; the run is woken when that is done."""
        found = [self._hosts.get_loaded(name) for name in names]
        if unread := sorted({name for name, host in zip(names, found, strict=True) if host is None}):
            self._start([self._make_host_read(name) for name in unread], None)
            return None
        return [host for host in found if host is not None]

    def _start(self, wanted: list[Read], queue: BackQueue | None) -> None:
        self.under_way += 1
        results = self._reads.ask(lambda: [read() for read, _ in wanted])
        results.add_done_callback(partial(self._learn_all, wanted, queue))

    def _list_reads(self, queue: BackQueue) -> Iterable[Read]:
        host = self._hosts.get_loaded(queue.host)
        if host is None:
            yield self._make_host_read(queue.host)
        if self._robots.must_read(queue.origin):
            yield partial(self._robots.read, queue.origin), partial(self._robots.learn, queue.origin)
        domain = host.domain if host is not None else registrable_domain(queue.host) or queue.host
        if self._budgets.must_read(domain):
            yield partial(self._budgets.read, domain), partial(self._budgets.learn, domain)
        if keys := self._frontier.list_unread(queue):
            yield partial(self._frontier.read_tries, keys), partial(self._frontier.learn_tries, queue)
        if urls := self.visits.list_unread(queue.list_urls()):
            yield partial(self.visits.read, urls), partial(self.visits.learn, urls)

    def _make_host_read(self, name: str) -> Read:
        return partial(self._hosts.read, name), partial(self._hosts.learn, name)

    def _learn_all(self, wanted: list[Read], queue: BackQueue | None, results: Future[list[Any]]) -> None:
        """A bug makes the origin wait, as any bug in its preparation does."""
        self.under_way -= 1
        self._state.wake()
        if results.cancelled():
            return
        try:
            for (_, learn), result in zip(wanted, results.result(), strict=True):
                learn(result)
        except BaseException as error:
            if not is_internal(error):
                self._state.fail(error)
            elif queue is not None:
                self._boundary.end_preparation(queue, error)
        else:
            if queue is not None:
                self._frontier.put_back(queue, AT_ONCE)
