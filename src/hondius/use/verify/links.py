"""Link segments against the log: whole up to their durable length, and each page's links where the log says."""

from collections.abc import Iterator, Sequence

from hondius.errors import HondiusError
from hondius.hints import quote_command
from hondius.native import Identity, PageLinks
from hondius.ports import Disk
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.links.reading import HEADER_BYTES, check_header, pages_of, read_block, segment_path
from hondius.use.verify.report import Report


def check_links(disk: Disk, twin: EmbeddedCatalog, identity: Identity, report: Report) -> None:
    remedy = f"Run {quote_command('rebuild', disk.place)}, which reads the links again from the archive"
    segments = twin.link_segments()
    pages = 0
    for name, length in segments.items():
        if not disk.exists(segment_path(name)):
            report.problem("a link segment is missing", remedy, name)
        elif (size := disk.size(segment_path(name))) < length:
            report.problem("a link segment is too short", remedy, f"{name} has {size:,} of {length:,} bytes")
        else:
            if size > length:
                fate = "told of by lost frames" if report.frames_lost else "never committed; the next start cuts it off"
                report.notes.append(f"{name} has a tail that was {fate}")
            pages += _Check(disk, name, length, twin, identity, remedy, report).run()
    report.counts |= {"link segments": len(segments), "pages with links": pages}
    _note_missing(disk, twin, report)


def _note_missing(disk: Disk, twin: EmbeddedCatalog, report: Report) -> None:
    """Not a problem: nothing was lost that had been promised."""
    if missing := twin.count_without_links():
        report.notes.append(
            f"the links of {missing:,} page{'' if missing == 1 else 's'} are not kept: an earlier version fetched "
            f"them, or `rebuild` could not read them again; {quote_command('rebuild', disk.place)} looks for them "
            "in the archive"
        )


class _Check:
    def __init__(
        self,
        disk: Disk,
        name: str,
        length: int,
        twin: EmbeddedCatalog,
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
        self._expected = _Expected(twin.link_places(name))

    def run(self) -> int:
        """Returns how many pages it holds, those of earlier visits included."""
        pages = 0
        try:
            check_header(self._disk, self._name)
        except HondiusError as error:
            self._report.problem("a link segment is damaged", self._remedy, str(error))
            return 0
        offset = HEADER_BYTES
        while offset < self._length:
            try:
                block = read_block(self._disk, self._name, offset, self._length)
                found = pages_of(block, self._name, self._identity)
            except HondiusError as error:
                self._report.problem("a link segment is damaged", self._remedy, str(error))
                offset = self._expected.skip_to_next_block(offset, self._length)
                continue
            pages += len(found)
            self._meet(offset, found)
            offset = block.end
        self._miss(self._expected.rest())
        return pages

    def _meet(self, offset: int, found: Sequence[PageLinks]) -> None:
        for page in found:
            if not page.has_same_keys:
                what = "the keys of a page's links are not those that it was read with"
                self._report.problem(what, "Put hondius.toml back as it was", page.href)
        self._miss(self._expected.before(offset))
        for index, key, url in self._expected.at(offset):
            if index >= len(found) or found[index].key != key:
                self._miss([(offset, index, url)])

    def _miss(self, places: Sequence[tuple[int, int, str]]) -> None:
        for offset, index, url in places:
            where = f"page {index} of the block at {offset:,} of {self._name} is not {url}"
            self._report.problem("the links of a page are not where the log says", self._remedy, where)


class _Expected:
    """What the log says lies in a segment, in order, held against what passes by."""

    def __init__(self, places: Iterator[tuple[int, int, bytes, str]]) -> None:
        self._places = places
        self._next = next(places, None)

    def before(self, offset: int) -> list[tuple[int, int, str]]:
        """Where no block starts. Few: each is a problem."""
        missed = []
        while self._next is not None and self._next[0] < offset:
            missed.append((self._next[0], self._next[1], self._next[3]))
            self._next = next(self._places, None)
        return missed

    def at(self, offset: int) -> Iterator[tuple[int, bytes, str]]:
        while self._next is not None and self._next[0] == offset:
            yield self._next[1], self._next[2], self._next[3]
            self._next = next(self._places, None)

    def skip_to_next_block(self, offset: int, length: int) -> int:
        """The first block behind `offset` that the log names; else the end. One damaged block hides no others."""
        while self._next is not None and self._next[0] <= offset:
            self._next = next(self._places, None)
        return length if self._next is None else self._next[0]

    def rest(self) -> list[tuple[int, int, str]]:
        return self.before(2**63)
