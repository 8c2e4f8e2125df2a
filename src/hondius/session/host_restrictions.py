"""Lists the hosts that are not contacted now, or only slowly: orders of the operator and open circuits.

A crawl records times by its own clock, which does not jump (`clock.py`). If the wall clock is set while the crawl runs,
the two differ; `queue.json` says by how much. Times of earlier runs are converted as a run does at its start
(`EarlierTimes`), also when no run is active. All results are in wall-clock time.
"""

import time
from collections.abc import Iterator

import msgspec

from hondius.clock import SystemClock
from hondius.model import FOREVER, HostOrder
from hondius.ports import Catalog
from hondius.session.queue import Queue


class CrawlClock(SystemClock):
    """The clock of a crawl in another process, which is `ahead` seconds ahead of the wall clock."""

    def __init__(self, ahead: float = 0.0) -> None:
        self.ahead = ahead

    def now(self) -> float:
        return time.time() + self.ahead


def make_crawl_clock(queue: Queue | None, *, is_running: bool) -> CrawlClock:
    """The wall clock if the crawl is not running: its next run starts with that."""
    return CrawlClock(queue.ahead if is_running and queue is not None else 0.0)


def list_orders_in_force(catalog: Catalog, clock: CrawlClock) -> list[HostOrder]:
    """The operator's orders for hosts that have not expired."""
    from hondius.crawler.politeness import EarlierTimes

    earlier, now = EarlierTimes(clock, catalog), clock.now()
    orders = [earlier.adjust_order(order) for order in catalog.host_orders()]
    return [
        _to_wall_clock(order, clock.ahead)
        for order in orders
        if order.delay is not None or (order.paused_until or 0.0) > now
    ]


def list_pauses(catalog: Catalog, clock: CrawlClock) -> list[HostOrder]:
    return [order for order in list_orders_in_force(catalog, clock) if order.paused_until is not None]


def list_open_circuits(catalog: Catalog, clock: CrawlClock, most: int) -> Iterator[tuple[str, int, float]]:
    """(host, consecutive failures, seconds until the next try) of each failing host."""
    from hondius.crawler.politeness import EarlierTimes

    earlier, now = EarlierTimes(clock, catalog), clock.now()
    for name, failures, _ in catalog.open_circuits(now, most):
        state = earlier.adjust_host(catalog.host(name))
        if state is not None and state.circuit_until > now:
            yield name, failures, state.circuit_until - now


def _to_wall_clock(order: HostOrder, ahead: float) -> HostOrder:
    until = order.paused_until
    if until is not None and until < FOREVER:
        until -= ahead
    return msgspec.structs.replace(order, at=order.at - ahead, paused_until=until)
