"""What is queued, and which hosts are not contacted now."""

from collections.abc import Iterable, Iterator

from hondius.model import HostOrder
from hondius.opening import Crawl
from hondius.ports import Catalog
from hondius.quantities import describe_order, format_count, format_seconds
from hondius.session.host_restrictions import CrawlClock, list_open_circuits, list_orders_in_force, make_crawl_clock
from hondius.session.queue import Queue, describe_unfinished_seeds, read_queue
from hondius.use.report.facts import Queued, Waiting, WaitingHost

MOST_RETRIES = 100_000
"""Queued URLs that have failed are counted up to this number."""


def describe_waiting(crawl: Crawl, most: int) -> Waiting:
    """Of the whole crawl: the queue is not counted by host."""
    is_running, queue, catalog = crawl.place.holder() is not None, read_queue(crawl.place), crawl.catalog
    last_run = catalog.last_run() or {}
    clock = make_crawl_clock(queue, is_running=is_running)
    notes = [] if is_running else list(describe_unfinished_seeds(catalog.unfinished_seeds()))
    retries = sum(1 for _ in catalog.retries(MOST_RETRIES))
    if retries == MOST_RETRIES:
        notes.append(f"at least {MOST_RETRIES:,} queued URLs have failed before")
    return Waiting(
        is_running=is_running,
        last_stop=str(last_run.get("reason") or ""),
        queue=None if queue is None else _describe_queue(queue),
        retries=retries,
        hosts=list(_list_hosts(catalog, clock, most)),
        notes=notes,
    )


def _describe_queue(queue: Queue) -> Queued:
    hosts = queue.hosts + sum(queue.spent.values())
    urls = queue.urls + queue.queued_since
    return Queued(queue.at, urls, hosts, queue.ready, queue.resting, queue.parked, queue.next_at)


def _list_hosts(catalog: Catalog, clock: CrawlClock, most: int) -> Iterator[WaitingHost]:
    for origin, reason in catalog.unreachable(most):
        yield WaitingHost(origin, f"its robots.txt cannot be fetched: {reason}")
    for host, failures, left in list_open_circuits(catalog, clock, most):
        yield WaitingHost(
            host, f"left alone for {format_seconds(left)} after {format_count(failures, 'failure')} in a row"
        )
    yield from _describe_orders(list_orders_in_force(catalog, clock)[:most])


def _describe_orders(orders: Iterable[HostOrder]) -> Iterator[WaitingHost]:
    for order in orders:
        because = f" ({order.reason})" if order.reason else ""
        yield WaitingHost(order.host, f"{describe_order(order)}, by order{because}")
