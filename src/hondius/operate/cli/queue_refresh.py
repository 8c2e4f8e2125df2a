"""Counts the queue of a crawl that was killed: its last `queue.json` may be older than its log."""

import time

from hondius.crawler.commit import catch_up_urls
from hondius.errors import HondiusError
from hondius.native import NativeError
from hondius.opening import Crawl
from hondius.ports import UrlStore
from hondius.session.queue import Queue, write_queue


def refresh_queue(crawl: Crawl, queue: Queue | None) -> Queue | None:
    """Counts in the URL store, after it has caught up with the log, and saves the result for the next caller. Returns
    `queue` if that is as new as the log, or if the store cannot be opened."""
    if queue is not None and queue.at >= crawl.place.changed_at():
        return queue
    try:
        with crawl.open_idle_urls() as urls:
            catch_up_urls(crawl.log, urls)
            refreshed = _count_queue(urls, crawl.settings.scope.max_depth)
            write_queue(crawl.place, refreshed)
            return refreshed
    except (HondiusError, NativeError):  # `verify` reports what is wrong
        return queue


def _count_queue(urls: UrlStore, max_depth: int | None) -> Queue:
    """When hosts may be contacted next is unknown: only the frontier of the killed process knew."""
    counts, origins = urls.counts(), len(urls.origins(max_depth))
    return Queue(
        at=time.time(),
        urls=counts["queued"],
        hosts=origins,
        ready=0,
        resting=0,
        asleep=origins,
        next_at=None,
        parked=counts["parked"],
        spent={},
    )
