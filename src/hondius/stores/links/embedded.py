"""LinkSegments, as files in `links/`."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from hondius.clock import Clock
from hondius.errors import Broken, DiskFull, is_internal
from hondius.hints import quote_command, suggest_salvage
from hondius.native import Identity, PageLinks, link_blocks, link_header
from hondius.ports import Disk, LinkSource
from hondius.stores.links.reading import (
    DIRECTORY,
    SUFFIX,
    LinkLocation,
    SegmentFiles,
    make_segment_path,
)

FILE_BYTES = 256 * 1024 * 1024
_PREFIX = "hondius-"


@dataclass(frozen=True, slots=True)
class Receipt:
    locations: list[LinkLocation]
    durable: list[tuple[str, int]]


class EmbeddedLinkSegments:
    """One writer. `durable` is the length of each file that the frames record."""

    def __init__(
        self,
        disk: Disk,
        *,
        durable: Mapping[str, int],
        identity: Identity,
        clock: Clock,
        file_bytes: int = FILE_BYTES,
    ) -> None:
        self._disk = disk
        self._reader = SegmentFiles(disk, identity)
        self._clock = clock
        self._file_bytes = file_bytes
        self._name: str | None = None
        self._size = 0
        _repair(disk, durable)
        self._serial = max((_parse_serial(name) for name in durable), default=0)

    def append(self, pages: Sequence[LinkSource]) -> Receipt:
        if not pages:
            return Receipt([], [])
        if self._name is None or self._size >= self._file_bytes:
            self._begin_file()
        assert self._name is not None
        header = b"" if self._size else link_header()
        blocks = link_blocks(pages, self._size + len(header))
        with self._undo_on_failure() as path:
            self._disk.append(path, header + blocks.data)
            self._disk.sync(path)
        self._size += len(header) + len(blocks.data)
        return Receipt([(self._name, *place) for place in blocks.places], [(self._name, self._size)])

    def read(self, file: str, offset: int, index: int) -> PageLinks:
        return self._reader.read(file, offset, index)

    def scan(self, file: str, length: int) -> Iterator[tuple[int, list[PageLinks]]]:
        return self._reader.scan(file, length)

    def read_block(self, file: str, offset: int) -> list[PageLinks]:
        return self._reader.read_block(file, offset)

    def read_packed(self, file: str, offset: int) -> bytes:
        return self._reader.read_packed(file, offset)

    def close(self) -> None:
        self._name = None

    def _begin_file(self) -> None:
        self._serial += 1
        stamp = datetime.fromtimestamp(self._clock.now(), UTC).strftime("%Y%m%d%H%M%S")
        self._name, self._size = f"{_PREFIX}{stamp}-{self._serial:05}{SUFFIX}", 0

    @contextmanager
    def _undo_on_failure(self) -> Iterator[str]:
        """After DiskFull or a bug, restores the file. After any other failure its content is unknown, and the next
        append begins a new file."""
        assert self._name is not None
        name, path = self._name, make_segment_path(self._name)
        try:
            yield path
        except BaseException as error:
            self._name = None
            if isinstance(error, DiskFull) or is_internal(error):
                if self._disk.exists(path) and self._disk.size(path) > self._size:
                    self._disk.truncate(path, self._size)
                self._name = name
            raise


def _repair(disk: Disk, durable: Mapping[str, int]) -> None:
    """Cuts off everything that no frame records."""
    for name in durable:
        make_segment_path(name)
    unknown = [name for name in disk.list(DIRECTORY) if _is_ours(name) and name not in durable]
    if len(unknown) > 1:
        # Batches are written one at a time, so at most one file is missing from the log.
        raise Broken(
            f"the log knows nothing of {len(unknown)} link segments, {unknown[0]} first; {suggest_salvage(disk.place)}"
        )
    for name in unknown:
        disk.remove(make_segment_path(name))
    for name, length in durable.items():
        if disk.exists(make_segment_path(name)):
            _cut(disk, name, length)


def _cut(disk: Disk, name: str, length: int) -> None:
    path = make_segment_path(name)
    size = disk.size(path)
    if size < length:
        again = f"run {quote_command('rebuild', disk.place)}, which reads its links again from the archive"
        raise Broken(f"{path} has {size:,} bytes and had {length:,}; put it back from a copy, or {again}")
    if size > length:
        disk.truncate(path, length)
        disk.sync(path)


def _is_ours(name: str) -> bool:
    return name.startswith(_PREFIX) and name.endswith(SUFFIX)


def _parse_serial(name: str) -> int:
    digits = name.removesuffix(SUFFIX).rpartition("-")[2]
    return int(digits) if digits.isdecimal() else 0
