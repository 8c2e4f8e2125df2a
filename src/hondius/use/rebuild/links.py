"""Restores links that are missing or damaged.

A damaged or missing segment is abandoned: the links of each of its pages move to a new segment, copied from an intact
block or read from the archived body. The frame that records this is written before the old file is removed. If the
rebuild is interrupted, the next one continues.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from hondius.clock import Clock
from hondius.crawler.archived_answers import ArchivedAnswers
from hondius.crawler.commit import append_events, apply_to_urls
from hondius.crawler.translation import make_identity, make_reader
from hondius.errors import HondiusError
from hondius.model import AnyEvent, LinksKept, LinksRestored
from hondius.native import Identity, NativeError, Page, PageLinks
from hondius.ports import Catalog, Disk, LinkSource, Log, UrlStore
from hondius.settings import Settings
from hondius.stores.archive.reading import RecordFiles
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.links.embedded import EmbeddedLinkSegments
from hondius.stores.links.reading import (
    HEADER_BYTES,
    check_header,
    decode_pages,
    make_segment_path,
    read_block,
    read_blocks,
)

BATCH = 200
"""Pages in one frame."""

Row = dict[str, Any]


@dataclass(slots=True)
class RestoredLinks:
    pages: int = 0
    """Pages whose links were restored."""
    lost: int = 0
    """Pages whose links were stored but are damaged, and whose bodies are not available."""
    missing: int = 0
    """Pages whose links were never stored, and whose bodies are not available."""


class LinkRestorer:
    def __init__(
        self, disk: Disk, log: Log, urls: UrlStore, catalog: EmbeddedCatalog, settings: Settings, clock: Clock
    ) -> None:
        """The views must be up to date."""
        self._disk = disk
        self._log = log
        self._urls = urls
        self._catalog = catalog
        self._clock = clock
        self._identity = make_identity(settings)
        self._answers = make_archived_answers(disk, catalog, settings, self._identity)
        self._broken = [name for name in catalog.link_segments() if not is_intact(disk, catalog, name, self._identity)]
        durable = {name: length for name, length in catalog.link_segments().items() if name not in self._broken}
        # Includes missing segments: a new segment must not take the name of one that is about to be abandoned.
        untouched = durable | {name: self._measure_size(name) for name in self._broken}
        self._segments = EmbeddedLinkSegments(disk, durable=untouched, identity=self._identity, clock=clock)
        self.restored = RestoredLinks()

    def _measure_size(self, name: str) -> int:
        return self._disk.size(make_segment_path(name)) if exists(self._disk, name) else 0

    def run(self) -> RestoredLinks:
        for name in self._broken:
            self._move(name)
        rows = self._catalog.pages_without_links()
        while batch := list(islice(rows, BATCH)):
            sources = [(row, page) for row in batch if (page := self._read_from_archive(row)) is not None]
            self.restored.missing += len(batch) - len(sources)
            self._write(sources)
        return self.restored

    def _move(self, name: str) -> None:
        """Reads all places first: a long-running read transaction would keep SQLite from truncating its write-ahead
        log."""
        places = list(self._catalog.list_link_locations(name))
        for start in range(0, len(places), BATCH):
            batch = places[start : start + BATCH]
            sources, lost = [], list[AnyEvent]()
            for offset, index, key, _ in batch:
                row = self._catalog.page(key)
                found = self._read_from_segment(name, offset, index, key) or (
                    self._read_from_archive(row) if row else None
                )
                if row is not None and found is not None:
                    sources.append((row, found))
                else:
                    lost.append(LinksRestored(key, None, None, None))
                    self.restored.lost += row is None or row["links"] > 0
            self._write(sources, lost)
        self._append([LinksKept(name, 0)])
        if exists(self._disk, name):
            self._disk.remove(make_segment_path(name))

    def _write(self, found: Sequence[tuple[Row, Page | PageLinks]], others: Iterable[AnyEvent] = ()) -> None:
        sources: list[LinkSource] = [(row["key"], row["url"], links) for row, links in found]
        receipt = self._segments.append(sources)
        events: list[AnyEvent] = [LinksKept(file, length) for file, length in receipt.durable]
        placed = zip(sources, receipt.locations, strict=True)
        events += [LinksRestored(source[0], *place) for source, place in placed]
        self.restored.pages += len(sources)
        self._append([*events, *others])

    def _append(self, events: list[AnyEvent]) -> None:
        if events:
            for frame in append_events(self._log, self._urls, events, self._clock.now()):
                apply_to_urls(self._urls, frame)
                self._catalog.apply([frame])

    def _read_from_segment(self, name: str, offset: int, index: int, key: bytes) -> PageLinks | None:
        try:
            pages = decode_pages(read_block(self._disk, name, offset), name, self._identity)
        except HondiusError:
            return None
        return pages[index] if index < len(pages) and pages[index].key == key else None

    def _read_from_archive(self, row: Row) -> Page | None:
        found = self._answers.read(row)
        return found if isinstance(found, Page) else None


def make_archived_answers(disk: Disk, catalog: Catalog, settings: Settings, identity: Identity) -> ArchivedAnswers:
    reader = make_reader(settings, identity)
    return ArchivedAnswers(catalog, RecordFiles(disk), reader, identity, settings.fetch.page_cap)


def exists(disk: Disk, name: str) -> bool:
    return disk.exists(make_segment_path(name))


def is_intact(disk: Disk, catalog: EmbeddedCatalog, name: str, identity: Identity) -> bool:
    """True if every block can be read, and every page is where the log says."""
    length = catalog.link_segments()[name]
    places = catalog.list_link_locations(name)
    expected = next(places, None)
    try:
        if not exists(disk, name) or disk.size(make_segment_path(name)) < length:
            return False
        check_header(disk, name)
        for block in read_blocks(disk, name, length):
            pages = decode_pages(block, name, identity)
            while expected is not None and expected[0] == block.offset:
                if expected[1] >= len(pages) or pages[expected[1]].key != expected[2]:
                    return False
                expected = next(places, None)
    except (HondiusError, NativeError):
        return False
    return expected is None


def measure_intact_bytes(disk: Disk, name: str, identity: Identity) -> int:
    """The length of the readable blocks at the start of the segment."""
    end = 0
    try:
        check_header(disk, name)
        end = HEADER_BYTES
        for block in read_blocks(disk, name, disk.size(make_segment_path(name))):
            decode_pages(block, name, identity)
            end = block.end
    except HondiusError:
        pass
    return end
