"""Which hosts are left alone at the moment, told by the wall clock of whoever asks.

A crawl writes its times down by its own clock, which does not jump (`clock.py`): where the wall clock was set while it
runs, the two differ, and `queue.json` says by how much. Times of earlier runs are read as a run reads them at its start
(`EarlierTimes`), also where no run is under way.
"""

import time
from collections.abc import Iterator

import msgspec

from hondius.clock import SystemClock
from hondius.model import FOREVER, HostOrder
from hondius.operate.cli.queue import Queue
from hondius.ports import Catalog


class CrawlClock(SystemClock):
    """The clock of a crawl in another process, `ahead` of the wall clock."""

    def __init__(self, ahead: float = 0.0) -> None:
        self.ahead = ahead

    def now(self) -> float:
        return time.time() + self.ahead


def clock_of(queue: Queue | None, *, is_running: bool) -> CrawlClock:
    """A crawl that does not run has no clock of its own: the next run begins with the wall clock."""
    return CrawlClock(queue.ahead if is_running and queue is not None else 0.0)


def held_orders(catalog: Catalog, clock: CrawlClock) -> list[HostOrder]:
    """What the operator asked of hosts, as far as it still holds."""
    from hondius.crawler.politeness import EarlierTimes

    earlier, now = EarlierTimes(clock, catalog), clock.now()
    orders = [earlier.order(order) for order in catalog.host_orders()]
    return [
        _by_wall(order, clock.ahead) for order in orders if order.delay is not None or (order.paused_until or 0.0) > now
    ]


def paused_orders(catalog: Catalog, clock: CrawlClock) -> list[HostOrder]:
    return [order for order in held_orders(catalog, clock) if order.paused_until is not None]


def open_circuits(catalog: Catalog, clock: CrawlClock, most: int) -> Iterator[tuple[str, int, float]]:
    """(host, failures in a row, for how many seconds it is left alone) of hosts that fail."""
    from hondius.crawler.politeness import EarlierTimes

    earlier, now = EarlierTimes(clock, catalog), clock.now()
    for name, failures, _ in catalog.open_circuits(now, most):
        state = earlier.host(catalog.host(name))
        if state is not None and state.circuit_until > now:
            yield name, failures, state.circuit_until - now


def _by_wall(order: HostOrder, ahead: float) -> HostOrder:
    until = order.paused_until
    if until is not None and until < FOREVER:
        until -= ahead
    return msgspec.structs.replace(order, at=order.at - ahead, paused_until=until)
