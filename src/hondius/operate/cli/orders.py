"""How an order reaches a crawl: the running one is told, the log of a resting one has it written down."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from hondius.crawler.control import Order, has_orders, post
from hondius.errors import DirectoryInUse, DiskFull
from hondius.operate.cli.plain import say
from hondius.operate.cli.queue import note_queued
from hondius.settings import Settings
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.lock import DirectoryLock, holder

SETTLED_WITHIN = 0.5


def give(directory: Path, settings: Settings, orders: Sequence[Order]) -> int | None:
    """How many URLs they queued in a crawl that rests; None: the running crawl has been told."""
    from hondius.crawler.assemble import record
    from hondius.crawler.opening import Watch

    try:
        with DirectoryLock(directory):
            count = record(directory, settings, orders, Watch(notice=say))
            note_queued(directory, count)
            return count
    except DirectoryInUse:
        disk = EmbeddedDisk(directory)
        try:
            post(disk, orders, time.time_ns())
        except DiskFull as full:
            raise DiskFull(f"{full}, and say it again: the crawl has not been told") from None
        finally:
            disk.close()
        return None


def is_unknown(directory: Path, is_listed: Callable[[], bool]) -> bool:
    """No order of that kind holds, nor is one on its way: the catalog of a running crawl has it a moment after it is
    taken out of `control/`."""
    if _has_waiting_orders(directory) or is_listed():
        return False
    if holder(directory) is not None:
        time.sleep(SETTLED_WITHIN)
    return not is_listed()


def _has_waiting_orders(directory: Path) -> bool:
    disk = EmbeddedDisk(directory)
    try:
        return has_orders(disk)
    finally:
        disk.close()
