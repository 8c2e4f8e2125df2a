"""Checks link segments: complete up to the durable length, and the links of each page where the log says."""

from collections.abc import Iterator, Sequence

from hondius.errors import HondiusError
from hondius.hints import quote_command
from hondius.native import Identity, PageLinks
from hondius.ports import Disk
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.links.reading import HEADER_BYTES, check_header, decode_pages, make_segment_path, read_block
from hondius.use.verify.report import Report


def check_links(disk: Disk, reference: EmbeddedCatalog, identity: Identity, report: Report) -> None:
    remedy = f"Run {quote_command('rebuild', disk.place)}, which restores the links from the archive"
    segments = reference.link_segments()
    pages = 0
    for name, length in segments.items():
        if not disk.exists(make_segment_path(name)):
            report.add_problem("a link segment is missing", remedy, name)
        elif (size := disk.size(make_segment_path(name))) < length:
            report.add_problem("a link segment is too short", remedy, f"{name} has {size:,} of {length:,} bytes")
        else:
            if size > length:
                fate = "part of lost frames" if report.frames_lost else "never committed; the next start cuts it off"
                report.notes.append(f"{name} has a tail that was {fate}")
            pages += _Check(disk, name, length, reference, identity, remedy, report).run()
    report.counts |= {"link segments": len(segments), "pages with links": pages}
    _note_missing(disk, reference, report)


def _note_missing(disk: Disk, reference: EmbeddedCatalog, report: Report) -> None:
    """A note, not a problem: these links were never stored."""
    if missing := reference.count_without_links():
        report.notes.append(
            f"the links of {missing:,} page{'' if missing == 1 else 's'} are not stored: an earlier version fetched "
            f"them, or `rebuild` could not restore them; {quote_command('rebuild', disk.place)} looks for them "
            "in the archive"
        )


class _Check:
    def __init__(
        self,
        disk: Disk,
        name: str,
        length: int,
        reference: EmbeddedCatalog,
        identity: Identity,
        remedy: str,
        report: Report,
    ) -> None:
        self._disk = disk
        self._name = name
        self._length = length
        self._identity = identity
        self._remedy = remedy
        self._report = report
        self._expected = _Expected(reference.list_link_locations(name))

    def run(self) -> int:
        """Returns the number of pages in the segment, including those of earlier fetches."""
        pages = 0
        try:
            check_header(self._disk, self._name)
        except HondiusError as error:
            self._report.add_problem("a link segment is damaged", self._remedy, str(error))
            return 0
        offset = HEADER_BYTES
        while offset < self._length:
            try:
                block = read_block(self._disk, self._name, offset, self._length)
                found = decode_pages(block, self._name, self._identity)
            except HondiusError as error:
                self._report.add_problem("a link segment is damaged", self._remedy, str(error))
                offset = self._expected.skip_to_next_block(offset, self._length)
                continue
            pages += len(found)
            self._compare(offset, found)
            offset = block.end
        self._report_missing(self._expected.take_rest())
        return pages

    def _compare(self, offset: int, found: Sequence[PageLinks]) -> None:
        for page in found:
            if not page.has_same_keys:
                what = "the keys of a page's links differ from those when it was fetched"
                self._report.add_problem(what, "Restore the original hondius.toml", page.href)
        self._report_missing(self._expected.take_before(offset))
        for index, key, url in self._expected.take_at(offset):
            if index >= len(found) or found[index].key != key:
                self._report_missing([(offset, index, url)])

    def _report_missing(self, places: Sequence[tuple[int, int, str]]) -> None:
        for offset, index, url in places:
            where = f"page {index} of the block at {offset:,} of {self._name} is not {url}"
            self._report.add_problem("the links of a page are not where the log says", self._remedy, where)


class _Expected:
    """The pages that the log says are in a segment, in order."""

    def __init__(self, places: Iterator[tuple[int, int, bytes, str]]) -> None:
        self._places = places
        self._next = next(places, None)

    def take_before(self, offset: int) -> list[tuple[int, int, str]]:
        """Expected pages before `offset`, where no block starts. There are few: each is a problem."""
        missed = []
        while self._next is not None and self._next[0] < offset:
            missed.append((self._next[0], self._next[1], self._next[3]))
            self._next = next(self._places, None)
        return missed

    def take_at(self, offset: int) -> Iterator[tuple[int, bytes, str]]:
        while self._next is not None and self._next[0] == offset:
            yield self._next[1], self._next[2], self._next[3]
            self._next = next(self._places, None)

    def skip_to_next_block(self, offset: int, length: int) -> int:
        """The next block after `offset` that the log has, or the end, so that one damaged block hides no others."""
        while self._next is not None and self._next[0] <= offset:
            self._next = next(self._places, None)
        return length if self._next is None else self._next[0]

    def take_rest(self) -> list[tuple[int, int, str]]:
        return self.take_before(2**63)
