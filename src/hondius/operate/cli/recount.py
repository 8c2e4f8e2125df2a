"""How much waits in a crawl that was killed: what it wrote down last may be older than what it did last."""

import time

from hondius.crawler.commit import catch_up_urls
from hondius.errors import HondiusError
from hondius.native import NativeError
from hondius.opening import Crawl
from hondius.operate.cli.queue import Queue, write_down
from hondius.ports import UrlStore


def recounted(crawl: Crawl, queue: Queue | None) -> Queue | None:
    """By the URL store, caught up with the log; `queue` where that is as new as the log, or where the store cannot be
    asked. It is written down: whoever asks next need not open the store of a large crawl again."""
    if queue is not None and queue.at >= crawl.place.changed_at():
        return queue
    try:
        with crawl.open_idle_urls() as urls:
            catch_up_urls(crawl.log, urls)
            counted = _counted(urls, crawl.settings.scope.max_depth)
            write_down(crawl.place, counted)
            return counted
    except (HondiusError, NativeError):  # `verify` tells what is wrong with it
        return queue


def _counted(urls: UrlStore, max_depth: int | None) -> Queue:
    """Of no host is it known when it may be contacted next: the frontier that knew was that of the killed crawl."""
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
