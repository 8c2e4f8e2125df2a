"""How much waits in a crawl that was killed: what it wrote down last may be older than what it did last."""

import time
from contextlib import closing
from pathlib import Path

from hondius.crawler.commit import catch_up_urls
from hondius.crawler.opening import URLS, open_urls
from hondius.errors import HondiusError
from hondius.native import NativeError
from hondius.operate.cli.queue import Queue, write_down
from hondius.settings import Settings
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.lock import DirectoryLock, is_writable
from hondius.stores.log.embedded import EmbeddedLog


def recounted(directory: Path, settings: Settings, queue: Queue | None) -> Queue | None:
    """By the URL store, caught up with the log; `queue` where that is as new as the log, or where the store cannot be
    asked. It is written down: whoever asks next need not open the store of a large crawl again."""
    if not _is_older_than_the_log(queue, directory) or not is_writable(directory) or not (directory / URLS).is_dir():
        return queue
    try:
        with DirectoryLock(directory):
            counted = _counted(directory, settings)
            write_down(directory, counted)
            return counted
    except (HondiusError, NativeError):  # `verify` tells what is wrong with it
        return queue


def _is_older_than_the_log(queue: Queue | None, directory: Path) -> bool:
    changed = [segment.stat().st_mtime for segment in (directory / "log").glob("*")]
    return queue is None or any(at > queue.at for at in changed)


def _counted(directory: Path, settings: Settings) -> Queue:
    """Of no host is it known when it may be contacted next: the frontier that knew was that of the killed crawl."""
    with closing(EmbeddedDisk(directory)) as disk, closing(open_urls(directory / URLS, settings)) as urls:
        catch_up_urls(EmbeddedLog(disk, read_only=True), urls)
        counts, origins = urls.counts(), len(urls.origins(settings.scope.max_depth))
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
