"""Checks WARC files: complete up to the durable length, matching digests, pages where the log says."""

from collections.abc import Iterator

from hondius.native import WarcEntry
from hondius.ports import Disk
from hondius.stores.archive.index import Index, make_index_path, scan_records
from hondius.stores.archive.reading import DIRECTORY
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.use.verify.report import Report

REMEDY = (
    "Restore the file from a copy, or fetch the pages below again: `hondius recrawl DIR --fresh URL…`, then "
    "`hondius resume DIR`"
)
NO_INDEX = "Remove it; the next start rebuilds it"


def check_archive(disk: Disk, reference: EmbeddedCatalog, report: Report) -> None:
    files = records = 0
    for name, length in reference.archived().items():
        path = f"{DIRECTORY}/{name}"
        if not disk.exists(path):
            report.add_problem("a WARC file is missing", REMEDY, name)
            _Expected(reference.list_fetch_locations(name), name, report).add_all_unreadable()
        elif (size := disk.size(path)) < length:
            report.add_problem("a WARC file is too short", REMEDY, f"{name} has {size:,} of {length:,} bytes")
            _Expected(reference.list_fetch_locations(name), name, report).add_all_unreadable(size)
        else:
            if size > length:
                fate = "part of lost frames" if report.frames_lost else "never committed; the next start cuts it off"
                report.notes.append(f"{name} has a tail that was {fate}")
            records += _check_file(disk, name, length, reference, report)
        files += 1
    report.counts |= {"WARC files": files, "WARC records": records}


def _check_file(disk: Disk, name: str, length: int, reference: EmbeddedCatalog, report: Report) -> int:
    expected = _Expected(reference.list_fetch_locations(name), name, report)
    path, lines = f"{DIRECTORY}/{name}", list[str]()
    records = end = 0
    is_whole = True
    while end < length:
        for entry in scan_records(disk, path, length, end):
            records += 1
            end = entry.offset + entry.length
            if entry.problem is not None:
                report.add_problem(f"a WARC record is damaged: {entry.problem}", REMEDY, f"{name} at {entry.offset:,}")
                report.add_unreadable(expected.find_url(entry.offset))
            if entry.cdxj is not None:
                lines.append(entry.cdxj)
            expected.compare(entry)
        if end < length:
            is_whole, damaged = False, end
            end = expected.find_next(end, length)
            report.add_problem("a WARC file is damaged", REMEDY, f"{name} from byte {damaged:,} to {end:,}")
    expected.finish()
    index = Index(disk, path)
    if is_whole and not index.matches(lines):
        if index.differs_only_in_keys(lines):
            report.notes.append(f"{make_index_path(path)} has the keys of an earlier version. {NO_INDEX}")
        else:
            report.add_problem("the index of a WARC file does not match the file", NO_INDEX, make_index_path(path))
    return records


class _Expected:
    """The records that the log says are in a file, in order."""

    def __init__(self, places: Iterator[tuple[int, int, str | None]], name: str, report: Report) -> None:
        self._places = places
        self._name = name
        self._report = report
        self._next = next(places, None)

    def compare(self, entry: WarcEntry) -> None:
        while self._next is not None and self._next[0] < entry.offset:
            self._report_missing()
        if self._next is None or self._next[0] != entry.offset:
            return
        offset, length, url = self._next
        is_right = length == entry.length and entry.kind in ("response", "revisit") and url in (None, entry.target)
        if not is_right:
            what = f"{self._name} at {offset:,} holds {entry.kind} of {entry.target or 'nothing'}, not of {url}"
            self._report.add_problem("a page is not where the log says", REMEDY, what)
            self._report.add_unreadable(url)
        self._next = next(self._places, None)

    def find_url(self, offset: int) -> str | None:
        """The page whose record starts here, if it is the next one."""
        return self._next[2] if self._next is not None and self._next[0] == offset else None

    def add_all_unreadable(self, size: int = 0) -> None:
        """Those that do not end within the first `size` bytes."""
        while self._next is not None:
            offset, length, url = self._next
            if offset + length > size:
                self._report.add_unreadable(url)
            self._next = next(self._places, None)

    def find_next(self, offset: int, length: int) -> int:
        """The start of the next page, so that one damaged record hides no others; the end of the file if there is
        none."""
        while self._next is not None and self._next[0] <= offset:
            self._report_missing()
        return length if self._next is None else self._next[0]

    def finish(self) -> None:
        while self._next is not None:
            self._report_missing()

    def _report_missing(self) -> None:
        assert self._next is not None
        what = f"nothing starts at {self._next[0]:,} of {self._name}"
        self._report.add_unreadable(self._next[2])
        self._report.add_problem("a page is not where the log says", REMEDY, what)
        self._next = next(self._places, None)
