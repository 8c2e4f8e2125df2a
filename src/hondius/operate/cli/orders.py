"""How an order reaches a crawl: the running one is told, the log of a resting one has it written down."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from hondius.errors import DirectoryInUse, DiskFull
from hondius.model import Order
from hondius.opening import place_of
from hondius.operate.cli.plain import say
from hondius.operate.cli.queue import note_queued
from hondius.settings import Settings

SETTLED_WITHIN = 0.5


def give(directory: Path, settings: Settings, orders: Sequence[Order]) -> int | None:
    """How many URLs they queued in a crawl that rests; None: the running crawl has been told."""
    from hondius.crawler.opening import Watch
    from hondius.crawler.recording import record

    place = place_of(directory)
    try:
        with place.lock():
            count = record(place, settings, orders, Watch(notice=say))
            note_queued(place, count)
            return count
    except DirectoryInUse:
        try:
            place.orders().post(orders, time.time_ns())
        except DiskFull as full:
            raise DiskFull(f"{full}, and say it again: the crawl has not been told") from None
        return None


def is_unknown(directory: Path, is_listed: Callable[[], bool]) -> bool:
    """No order of that kind holds, nor is one on its way: the catalog of a running crawl has it a moment after it is
    no waiting order any more."""
    place = place_of(directory)
    if place.orders().has_any() or is_listed():
        return False
    if place.holder() is not None:
        time.sleep(SETTLED_WITHIN)
    return not is_listed()
