"""The index of a WARC file: its lines as they come, then sorted beside it.

`….cdxj.part` grows unsorted and unsynced; when the file is done it becomes `….cdxj`, sorted. A part that
is found at a start may lack lines or have some too many, and is not trusted: the file itself tells.
"""

from collections.abc import Iterator
from contextlib import suppress

from hondius.errors import DiskFull
from hondius.native import WarcEntry, warc_scan
from hondius.ports import Disk

WINDOW = 16 * 1024 * 1024
LARGEST_RECORD = 256 * 1024 * 1024
"""Body caps are far below: where none ends within this, none ever will."""


class Index:
    """Never stands in the way of the archive: where there is no room for it, the next start makes it."""

    def __init__(self, disk: Disk, warc: str) -> None:
        self._disk = disk
        self._warc = warc
        self._path = index_path(warc)
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

    def mend(self) -> None:
        """Made from the WARC file where a crash left none, or somebody removed it."""
        if self._disk.exists(self._part) or not self._disk.exists(self._path):
            self._write(index_text([entry.cdxj for entry in entries(self._disk, self._warc) if entry.cdxj is not None]))

    def is_of(self, lines: list[str]) -> bool:
        """False where it has been written and says something else."""
        return not self._disk.exists(self._path) or self._disk.read(self._path) == index_text(sorted(lines))

    def differs_in_keys_alone(self, lines: list[str]) -> bool:
        """True where it tells the same of every record, but sorts them by other keys: those of an earlier version."""
        written = self._disk.read(self._path).decode(errors="replace").splitlines()
        return written == sorted(written) and sorted(map(_without_key, written)) == sorted(map(_without_key, lines))

    def remove(self) -> None:
        for path in (self._path, self._part):
            if self._disk.exists(path):
                self._disk.remove(path)

    def _write(self, text: bytes) -> None:
        """Sorted by bytes, which for UTF-8 is the order of the characters, too."""
        self._disk.replace(self._path, b"".join(sorted(text.splitlines(keepends=True))))
        if self._disk.exists(self._part):
            self._disk.remove(self._part)


def index_path(warc: str) -> str:
    return f"{warc.removesuffix('.warc.gz')}.cdxj"


def entries(disk: Disk, warc: str, length: int | None = None, start: int = 0) -> Iterator[WarcEntry]:
    """The whole records of a file from `start` on, up to `length`. Ends early where one is damaged: see where the last
    one ends."""
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


def _without_key(line: str) -> str:
    return line.partition(" ")[2]


def index_text(lines: list[str]) -> bytes:
    return "\n".join([*lines, ""]).encode()
