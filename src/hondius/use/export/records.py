"""Copies WARC records of pages: whole gzip members, as they are in the archive.

A page has a response or revisit record; the records of its request and its metadata follow. A revisit has no body, so
the record that it refers to is copied, too, unless that is selected anyway.
"""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hondius.errors import Broken, HondiusError
from hondius.native import WarcEntry, warc_read, warc_scan
from hondius.ports import ArchiveReader
from hondius.use.content import MAX_REVISITS, Contents

FOLLOWING = 8 * 1024
"""Bytes read after a record: its request and metadata are almost always shorter."""
LONGEST_FOLLOWING = 1024 * 1024
_COMPANIONS = ("request", "metadata")


@dataclass(frozen=True, slots=True)
class CopiedRecord:
    data: bytes
    """Its gzip members, companions included."""
    entry: WarcEntry
    """Of the response or revisit, by its place in the new file."""


class RecordSource:
    """Pages must come in the order of the archive, so that it is read from front to back."""

    def __init__(self, archive: ArchiveReader, contents: Contents, is_withheld: Callable[[bytes], bool]) -> None:
        """`is_withheld`: whether the page of a key must not be exported. Its record is not copied, even if a revisit
        refers to it (W3, D4)."""
        self._is_withheld = is_withheld
        self._archive = archive
        self._contents = contents
        self._copied: defaultdict[str, array[int]] = defaultdict(lambda: array("Q"))
        """The offsets of copied records of selected pages, ascending, by file: 8 bytes a page."""
        self._originals: set[tuple[str, int]] = set()
        """Records that were copied because a revisit needs them."""

    def read(self, page: dict[str, Any], into: str, offset: int) -> Iterator[CopiedRecord]:
        """The records to copy for a page, none twice; the first is to be written at `offset` of the file `into`.
        Raises HondiusError if one cannot be read."""
        if page["warc_file"] is None:
            return
        row = page
        for _ in range(1 + MAX_REVISITS):
            is_new = self._is_new(row)
            self._remember(row, is_selected=row is page)
            if not is_new:
                return
            record = self._read_record(row, into, offset)
            offset += len(record.data)
            yield record
            original = self._find_original(page, record)
            if original is None or self._is_withheld(original["key"]):
                return
            row = original

    def _find_original(self, page: dict[str, Any], record: CopiedRecord) -> dict[str, Any] | None:
        if record.entry.kind != "revisit":
            return None
        fields, _, _ = warc_read(record.data[: record.entry.length], cap=0)
        return self._contents.find_original(page, fields.get("warc-refers-to-target-uri", ""))

    def _is_new(self, row: dict[str, Any]) -> bool:
        file, offset = row["warc_file"], row["warc_offset"]
        offsets = self._copied[file]
        index = bisect_left(offsets, offset)
        return (index == len(offsets) or offsets[index] != offset) and (file, offset) not in self._originals

    def _remember(self, row: dict[str, Any], *, is_selected: bool) -> None:
        file, offset = row["warc_file"], row["warc_offset"]
        offsets = self._copied[file]
        if is_selected and (not offsets or offsets[-1] < offset):
            offsets.append(offset)
        elif self._is_new(row):
            self._originals.add((file, offset))

    def _read_record(self, row: dict[str, Any], into: str, offset: int) -> CopiedRecord:
        file, start, length = row["warc_file"], row["warc_offset"], row["warc_length"]
        following = FOLLOWING
        while True:
            data = self._archive.record(file, start, length + following)
            entries, _ = warc_scan(data, offset, into)
            if not entries or entries[0].length != length or entries[0].problem is not None:
                raise Broken(f"{file} holds no record at {start}")
            taken = _count_companions(entries)
            is_complete = taken < len(entries) or taken > len(_COMPANIONS) or len(data) < length + following
            if is_complete or following >= LONGEST_FOLLOWING:
                end = sum(entry.length for entry in entries[:taken])
                return CopiedRecord(data[:end], entries[0])
            following *= 4


def _count_companions(entries: list[WarcEntry]) -> int:
    """How many of the records belong to the first, itself included."""
    target = entries[0].target
    taken = 1
    while (
        taken < len(entries)
        and entries[taken].kind in _COMPANIONS
        and entries[taken].target == target
        and entries[taken].problem is None
    ):
        taken += 1
    return taken


def read_or_report(source: RecordSource, page: dict[str, Any], into: str, offset: int) -> list[CopiedRecord] | None:
    """None if a record of the page is damaged: it is left out."""
    try:
        return list(source.read(page, into, offset))
    except HondiusError:
        return None
