"""The index of a WARC file.

`….cdxj.part` grows unsorted and unsynced. When the WARC file is complete, it is sorted into `….cdxj`. A part that is
found at a start may have too few or too many lines, so the index is created again from the WARC file.
"""

from collections.abc import Iterator
from contextlib import suppress

from hondius.errors import DiskFull
from hondius.native import WarcEntry, warc_scan
from hondius.ports import Disk

WINDOW = 16 * 1024 * 1024
LARGEST_RECORD = 256 * 1024 * 1024
"""Bytes. Body caps are far below this: longer data has no valid record."""


class Index:
    """A full disk never stops the archive because of its index: the next start creates the index."""

    def __init__(self, disk: Disk, warc: str) -> None:
        self._disk = disk
        self._warc = warc
        self._path = make_index_path(warc)
        self._part = f"{self._path}.part"
        self._is_whole = True

    def add(self, lines: bytes) -> None:
        try:
            self._disk.append(self._part, lines)
        except DiskFull:
            self._is_whole = False

    def finish(self) -> None:
        if self._is_whole and self._disk.exists(self._part):
            with suppress(DiskFull):
                self._write(self._disk.read(self._part))

    def restore(self) -> None:
        """Creates the index from the WARC file if it is missing."""
        if self._disk.exists(self._part) or not self._disk.exists(self._path):
            self._write(
                format_index([entry.cdxj for entry in scan_records(self._disk, self._warc) if entry.cdxj is not None])
            )

    def matches(self, lines: list[str]) -> bool:
        """False if it exists and differs from these lines."""
        return not self._disk.exists(self._path) or self._disk.read(self._path) == format_index(sorted(lines))

    def differs_only_in_keys(self, lines: list[str]) -> bool:
        """True if it differs only in the sort keys: those of an earlier version."""
        written = self._disk.read(self._path).decode(errors="replace").splitlines()
        return written == sorted(written) and sorted(map(_drop_key, written)) == sorted(map(_drop_key, lines))

    def remove(self) -> None:
        for path in (self._path, self._part):
            if self._disk.exists(path):
                self._disk.remove(path)

    def _write(self, text: bytes) -> None:
        """Sorts by bytes, which in UTF-8 is the order of the characters, too."""
        self._disk.replace(self._path, b"".join(sorted(text.splitlines(keepends=True))))
        if self._disk.exists(self._part):
            self._disk.remove(self._part)


def make_index_path(warc: str) -> str:
    return f"{warc.removesuffix('.warc.gz')}.cdxj"


def scan_records(disk: Disk, warc: str, length: int | None = None, start: int = 0) -> Iterator[WarcEntry]:
    """The complete records of a file, from `start` up to `length`. Stops at a damaged one; the end of the last entry
    shows where."""
    end = disk.size(warc) if length is None else length
    offset, window = start, WINDOW
    while offset < end:
        data = disk.read(warc, offset, min(window, end - offset))
        found, whole = warc_scan(data, offset, warc.rpartition("/")[2])
        yield from found
        offset += whole
        if whole == 0 and (offset + len(data) >= end or window >= LARGEST_RECORD):
            return
        window = WINDOW if whole else window * 2


def _drop_key(line: str) -> str:
    return line.partition(" ")[2]


def format_index(lines: list[str]) -> bytes:
    return "\n".join([*lines, ""]).encode()
