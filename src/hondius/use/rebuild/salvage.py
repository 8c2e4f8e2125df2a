"""A log that is damaged, or ends before its views do: what can be read of it becomes the truth (S10).

A page's ending and the URLs that it named are in one frame, so both are lost together: the page is queued again, and
names them again. Nothing of the archive is cut for a frame that is gone: its records stay, whoever knows of them.
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
from hondius.stores.archive.index import entries
from hondius.stores.archive.reading import DIRECTORY
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.links.reading import DIRECTORY as LINKS
from hondius.stores.links.reading import SUFFIX
from hondius.stores.log.embedded import EmbeddedLog
from hondius.stores.log.opening import partitions_of
from hondius.stores.log.salvage import Gap, salvage
from hondius.stores.view_files import discard_catalog, discard_urls
from hondius.use.rebuild.links import whole_bytes


def salvage_log(directory: Path, settings: Settings) -> list[Gap]:
    """The log can be read when this returns, and the views are gone. The caller holds the directory's lock."""
    with ExitStack() as stack:
        disk = EmbeddedDisk(directory)
        stack.callback(disk.close)
        if partitions_of(disk) > 1:
            raise HondiusError(f"the log of {directory} has several partitions, which cannot be salvaged: use a copy")
        gaps = salvage(disk)
        log = EmbeddedLog(disk, segment_bytes=settings.stores.log_bytes)
        stack.callback(log.close)
        gaps += _lost_at_the_end(directory, log)
        discard_catalog(directory)
        discard_urls(directory)
        kept: list[AnyEvent] = [*_unknown_records(disk, log), *_unknown_links(disk, log, make_identity(settings))]
        if gaps or kept:
            now = SystemClock().now()
            log.append([Salvaged(now, tuple((gap.first, gap.last) for gap in gaps)), *kept], now)
        return gaps


def _lost_at_the_end(directory: Path, log: EmbeddedLog) -> Iterator[Gap]:
    """The catalog may be the last witness of frames that are gone."""
    try:
        catalog = EmbeddedCatalog.open(directory / "crawl.db", read_only=True)
    except HondiusError:
        return
    applied, last = catalog.applied, log.last_sequence
    catalog.close()
    if applied > last:
        yield Gap(last + 1, applied, max((frame.at for frame in log.newest(1)), default=0.0), 0.0)


def _unknown_records(disk: EmbeddedDisk, log: EmbeddedLog) -> Iterator[Archived]:
    """Up to where each WARC file is whole, where that is further than the log says."""
    durable = {
        event.file: event.length for frame in log.read() for event in frame.events if isinstance(event, Archived)
    }
    for name in disk.list(DIRECTORY):
        if name.endswith(".warc.gz"):
            whole = max((entry.offset + entry.length for entry in entries(disk, f"{DIRECTORY}/{name}")), default=0)
            if whole > durable.get(name, 0):
                yield Archived(name, whole)


def _unknown_links(disk: EmbeddedDisk, log: EmbeddedLog, identity: Identity) -> Iterator[LinksKept]:
    """The same of link segments: what frames that are lost had told of. Their pages are fetched again, and a later
    start must not take these blocks for another crawl's."""
    durable = {
        event.file: event.length for frame in log.read() for event in frame.events if isinstance(event, LinksKept)
    }
    for name in disk.list(LINKS):
        if name.endswith(SUFFIX):
            whole = whole_bytes(disk, name, identity)
            if whole > durable.get(name, 0):
                yield LinksKept(name, whole)
