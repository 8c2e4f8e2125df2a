"""Repairs a log that is damaged or ends before its views do: keeps what can be read (S10).

The end of a page and the URLs found on it are in one frame, so both are lost together: the page is queued again, and
its URLs are found again. WARC records of lost frames are not cut off.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from hondius.clock import SystemClock
from hondius.crawler.translation import make_identity
from hondius.errors import HondiusError
from hondius.model import AnyEvent, Archived, LinksKept, Salvaged
from hondius.native import Identity
from hondius.settings import Settings
from hondius.stores.archive.index import scan_records
from hondius.stores.archive.reading import DIRECTORY
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.links.reading import DIRECTORY as LINKS
from hondius.stores.links.reading import SUFFIX
from hondius.stores.log.embedded import EmbeddedLog
from hondius.stores.log.opening import count_partitions
from hondius.stores.log.salvage import Gap, salvage
from hondius.stores.view_files import discard_catalog, discard_search_index, discard_urls
from hondius.use.rebuild.links import measure_intact_bytes


def salvage_log(directory: Path, settings: Settings) -> list[Gap]:
    """Afterwards the log can be read, and the views are removed. The caller must hold the lock of the directory."""
    with ExitStack() as stack:
        disk = EmbeddedDisk(directory)
        stack.callback(disk.close)
        if count_partitions(disk) > 1:
            raise HondiusError(f"the log of {directory} has several partitions, which cannot be salvaged: use a copy")
        gaps = salvage(disk)
        log = EmbeddedLog(disk, segment_bytes=settings.stores.log_bytes)
        stack.callback(log.close)
        gaps += _find_lost_end(directory, log)
        discard_catalog(directory)
        discard_urls(directory)
        discard_search_index(directory)
        kept: list[AnyEvent] = [
            *_find_unknown_records(disk, log),
            *_find_unknown_links(disk, log, make_identity(settings)),
        ]
        if gaps or kept:
            now = SystemClock().now()
            log.append([Salvaged(now, tuple((gap.first, gap.last) for gap in gaps)), *kept], now)
        return gaps


def _find_lost_end(directory: Path, log: EmbeddedLog) -> Iterator[Gap]:
    """The catalog may be the only trace of frames lost at the end."""
    try:
        catalog = EmbeddedCatalog.open(directory / "crawl.db", read_only=True)
    except HondiusError:
        return
    applied, last = catalog.applied, log.last_sequence
    catalog.close()
    if applied > last:
        yield Gap(last + 1, applied, max((frame.at for frame in log.newest(1)), default=0.0), 0.0)


def _find_unknown_records(disk: EmbeddedDisk, log: EmbeddedLog) -> Iterator[Archived]:
    """WARC files that are intact beyond the length that the log records."""
    durable = {
        event.file: event.length for frame in log.read() for event in frame.events if isinstance(event, Archived)
    }
    for name in disk.list(DIRECTORY):
        if name.endswith(".warc.gz"):
            whole = max((entry.offset + entry.length for entry in scan_records(disk, f"{DIRECTORY}/{name}")), default=0)
            if whole > durable.get(name, 0):
                yield Archived(name, whole)


def _find_unknown_links(disk: EmbeddedDisk, log: EmbeddedLog, identity: Identity) -> Iterator[LinksKept]:
    """Link segments that are intact beyond the length that the log records. The next start must not take these blocks
    for those of another crawl. Their pages are fetched again."""
    durable = {
        event.file: event.length for frame in log.read() for event in frame.events if isinstance(event, LinksKept)
    }
    for name in disk.list(LINKS):
        if name.endswith(SUFFIX):
            whole = measure_intact_bytes(disk, name, identity)
            if whole > durable.get(name, 0):
                yield LinksKept(name, whole)
