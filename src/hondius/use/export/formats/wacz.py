"""WACZ 1.1.1: a ZIP file with WARC records, their index and a list of pages, which browsers replay (ReplayWeb.page).

    archive/data-00001.warc.gz    records, stored: a reader jumps to them; a new file each gigabyte
    indexes/index.cdx.gz, .idx    CDXJ lines in blocks of gzip, stored, and where each block begins
    pages/pages.jsonl             pages with their titles
    datapackage.json              all of these files with their hashes
    datapackage-digest.json       the hash of datapackage.json

A ZIP file is written from front to back, one entry after the other. So index lines and pages wait in temporary files.
"""

import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO, Any

import msgspec

from hondius.errors import BadSetting
from hondius.model import PageFilter
from hondius.native import gzip_member
from hondius.use.content import Contents
from hondius.use.export.formats.format import Job, Partition
from hondius.use.export.formats.wacz_package import Package
from hondius.use.export.formats.warc import leave_out_noindex
from hondius.use.export.records import CopiedRecord, RecordSource, read_or_report
from hondius.use.export.sorted_lines import SortedLines
from hondius.use.export.subject import is_page_of_text
from hondius.use.export.targets import Target
from hondius.use.export.warc_file import make_information

FILE_BYTES = 1024 * 1024 * 1024
LINES_PER_BLOCK = 1024
INDEX = "index.cdx.gz"


class WaczFormat:
    name = "wacz"
    suffixes: tuple[str, ...] = (".wacz",)
    columns: tuple[str, ...] = ()
    unit = "URL"
    is_binary = True

    def check(self) -> None:
        """Needs no package."""

    def makes_directory(self, partition_by: Partition | None) -> bool:
        if partition_by is not None:
            raise BadSetting("--partition-by needs --format parquet; wacz is one file")
        return False

    def narrow(self, selected: PageFilter, *, noindex: bool, copies: bool | None) -> PageFilter:
        return leave_out_noindex(selected, noindex=noindex)

    def write(self, job: Job, target: Target) -> None:
        with (
            target.open(target.main) as file,
            Package(file, time.time()) as package,
            SortedLines() as lines,
            tempfile.TemporaryFile() as pages,
        ):
            _Records(job, package, lines, pages).write()
            _write_index(package, lines)
            pages.seek(0)
            with package.add("pages/pages.jsonl", is_compressed=True) as into:
                into.write(_line({"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}))
                into.writelines(pages)
            package.finish(title=job.crawl.name)


class _Records:
    """Copies records into WARC files of the package, and notes their index lines and pages."""

    def __init__(self, job: Job, package: Package, lines: SortedLines, pages: IO[bytes]) -> None:
        self._job = job
        self._package = package
        self._lines = lines
        self._listed = pages
        self._source = RecordSource(job.crawl.archive, Contents(job.crawl), job.is_withheld)

    def write(self) -> None:
        pages = self._pages()
        number = 1
        while self._write_file(f"data-{number:05}.warc.gz", pages):
            number += 1

    def _pages(self) -> Iterator[dict[str, Any]]:
        """Those that have a record: they come first."""
        for page in self._job.pages("archive"):
            if page["warc_file"] is None:
                return
            yield page

    def _write_file(self, name: str, pages: Iterator[dict[str, Any]]) -> bool:
        """Returns whether pages are left for another file."""
        with self._package.add(f"archive/{name}", is_compressed=False) as file:
            offset = file.write(make_information(self._job.crawl, name, time.time()))
            for page in pages:
                records = read_or_report(self._source, page, name, offset)
                for record in records or ():
                    offset += file.write(record.data)
                    self._lines.add(record.entry.cdxj or "")
                self._note_page(page, records)
                if offset >= FILE_BYTES:
                    return True
        return False

    def _note_page(self, page: dict[str, Any], records: list[CopiedRecord] | None) -> None:
        """Redirects, failures and files that are no pages are in the archive, but not in the list of pages."""
        self._job.tally.count_records(page, records)
        if records is not None and is_page_of_text(page):
            made = {"id": page["key"].hex(), "url": page["url"], "ts": _date_of(page, records), "title": page["title"]}
            self._listed.write(_line({name: value for name, value in made.items() if value}))


def _date_of(page: dict[str, Any], records: list[CopiedRecord]) -> str:
    """The time of the record, to the second, as the index has it: replay looks a page up by it."""
    at = page["last_fetched_at"] or 0.0
    if records and records[0].entry.cdxj:
        digits = records[0].entry.cdxj.split(" ", 2)[1]
        return f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}T{digits[8:10]}:{digits[10:12]}:{digits[12:14]}Z"
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


def _write_index(package: Package, lines: SortedLines) -> None:
    places: list[bytes] = [f'!meta 0 {{"format": "cdxj-gzip-1.0", "filename": "{INDEX}"}}\n'.encode()]
    with package.add(f"indexes/{INDEX}", is_compressed=False) as file:
        offset = 0
        for block in _blocks(lines):
            data = gzip_member(b"".join(block))
            prefix = block[0].partition(b"{")[0].strip()
            places.append(b"%s %s" % (prefix, _line({"offset": offset, "length": len(data)})))
            offset += file.write(data)
    with package.add("indexes/index.idx", is_compressed=True) as file:
        file.writelines(places)


def _blocks(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    reading = iter(lines)
    while block := list(islice(reading, LINES_PER_BLOCK)):
        yield block


def _line(value: dict[str, Any]) -> bytes:
    return msgspec.json.encode(value) + b"\n"
