"""Sends orders to a crawl: to the running process, or into the log if the crawl is not running."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from hondius.errors import DirectoryInUse, DiskFull
from hondius.model import Order
from hondius.opening import place_of
from hondius.operate.cli.messages import say
from hondius.session.queue import add_queued
from hondius.settings import Settings

CATALOG_LAG = 0.5


def send_orders(directory: Path, settings: Settings, orders: Sequence[Order]) -> int | None:
    """Returns how many URLs the orders queued, or None if they were sent to a running crawl."""
    from hondius.crawler.idle_crawl import record_events
    from hondius.crawler.store_opening import Watch

    place = place_of(directory)
    try:
        with place.lock():
            count = record_events(place, settings, orders, Watch(notice=say))
            add_queued(place, count)
            return count
    except DirectoryInUse:
        try:
            place.orders().post(orders, time.time_ns())
        except DiskFull as full:
            raise DiskFull(f"{full}, then repeat the command: the order was not sent to the running crawl") from None
        return None


def is_absent(directory: Path, is_listed: Callable[[], bool]) -> bool:
    """True if no such order is in force or pending. Waits a moment if the crawl runs: its catalog shows an order
    shortly after the order is no longer pending."""
    place = place_of(directory)
    if place.orders().has_any() or is_listed():
        return False
    if place.holder() is not None:
        time.sleep(CATALOG_LAG)
    return not is_listed()
