"""Archive, as WARC files in `warc/`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from hondius.clock import Clock, SystemClock
from hondius.errors import Broken, DiskFull, is_internal
from hondius.hints import suggest_salvage
from hondius.moves import Move
from hondius.native import WarcSettings, warc_block, warc_information
from hondius.ports import ArchivedFetch, Disk, Rewriting, StoredRecord
from hondius.stores.archive.index import Index, format_index
from hondius.stores.archive.originals import Originals
from hondius.stores.archive.reading import DIRECTORY, RecordFiles, make_warc_path
from hondius.stores.archive.rewriting import copy_records, name_revision

FILE_BYTES = 1024 * 1024 * 1024
PIECE_BYTES = 1024 * 1024
"""Bytes of bodies that are in memory as records at once. A single body may be longer."""


@dataclass(frozen=True, slots=True)
class Receipt:
    locations: list[tuple[str, int, int]]
    durable: list[tuple[str, int]]


class EmbeddedArchive(RecordFiles):
    """One writer. `durable` is the length of each file that the frames record."""

    def __init__(
        self,
        disk: Disk,
        *,
        durable: Mapping[str, int],
        software: str,
        operator: str = "",
        file_bytes: int = FILE_BYTES,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(disk)
        self._settings = WarcSettings(software=software, operator=operator)
        self._file_bytes = file_bytes
        self._clock = clock or SystemClock()
        self._originals = Originals()
        self._name: str | None = None
        self._index = Index(disk, "")
        self._size = 0
        _repair(disk, durable)
        self._serial = max((_parse_serial(name) for name in durable), default=0)

    def append(self, fetches: Sequence[ArchivedFetch]) -> Receipt:
        if not fetches:
            return Receipt([], [])
        if self._name is None or self._size >= self._file_bytes:
            self._begin_file()
        assert self._name is not None
        locations: list[tuple[str, int, int]] = []
        lines: list[str] = []
        with self._undo_on_failure() as file:
            if not self._size:
                file.append(warc_information(self._settings, self._name, self._clock.now()))
            for piece in _split_pieces(fetches):
                block = warc_block(self._settings, [self._make_row(fetch) for fetch in piece], file.size, self._name)
                file.append(block.data)
                lines += block.cdxj
                locations += [(self._name, offset, length) for offset, length in block.positions]
                for fetch, date, digest in zip(piece, block.dates, block.payload_digests, strict=True):
                    self._originals.remember(fetch.fetched.href, date, digest)
            text = format_index(lines)
            file.sync()
        self._size = file.size
        self._index.add(text)
        return Receipt(locations, [(self._name, self._size)])

    def has(self, file: str) -> bool:
        return self._disk.exists(make_warc_path(file))

    def rewrite(self, file: str, length: int, is_unwanted: Callable[[StoredRecord], bool]) -> Rewriting:
        assert file != self._name, "it still grows"
        into = name_revision(file)
        path, moves = make_warc_path(into), list[Move]()
        target, index = _GrowingFile(self._disk, path, 0), Index(self._disk, path)
        try:
            target.append(warc_information(self._settings, into, self._clock.now()))
            for piece in copy_records(self._settings, self._reader_of(file), length, into, target.size, is_unwanted):
                target.append(piece.data)
                index.add(format_index(piece.cdxj) if piece.cdxj else b"")
                moves += piece.moves
            target.sync()
            index.finish()
        except Broken as error:
            self.remove(into)
            raise Broken(f"{make_warc_path(file)}: {error}") from error
        except BaseException:
            self.remove(into)
            raise
        return Rewriting(into, target.size, moves)

    def remove(self, file: str) -> None:
        path = make_warc_path(file)
        if self._disk.exists(path):
            self._disk.remove(path)
        Index(self._disk, path).remove()

    def _reader_of(self, file: str) -> Callable[[int, int], bytes]:
        path = make_warc_path(file)
        return lambda offset, length: self._disk.read(path, offset, length)

    def close(self) -> None:
        if self._name is not None:
            self._index.finish()
            self._name = None

    def _begin_file(self) -> None:
        self.close()
        self._serial += 1
        stamp = datetime.fromtimestamp(self._clock.now(), UTC).strftime("%Y%m%d%H%M%S")
        self._name, self._size = f"hondius-{stamp}-{self._serial:05}.warc.gz", 0
        self._index = Index(self._disk, make_warc_path(self._name))

    @contextmanager
    def _undo_on_failure(self) -> Iterator["_GrowingFile"]:
        """After DiskFull or a bug, restores the file. After any other failure its content is unknown, and the next
        append begins a new file."""
        assert self._name is not None
        file = _GrowingFile(self._disk, make_warc_path(self._name), self._size)
        try:
            yield file
        except BaseException as error:
            name, self._name = self._name, None
            if isinstance(error, DiskFull) or is_internal(error):
                file.cut(self._size)
                self._name = name
            raise

    def _make_row(self, fetch: ArchivedFetch) -> tuple[Any, str | None, str | None, str | None, str, bool]:
        digest = self._originals.find_digest(fetch.copy_of, fetch.copy_date)
        return fetch.fetched, fetch.copy_of, fetch.copy_date, digest, fetch.metadata, fetch.keep_body


class _GrowingFile:
    """A file while a batch is appended to it."""

    def __init__(self, disk: Disk, path: str, size: int) -> None:
        self._disk = disk
        self._path = path
        self.size = size

    def append(self, data: bytes) -> None:
        self._disk.append(self._path, data)
        self.size += len(data)

    def sync(self) -> None:
        self._disk.sync(self._path)

    def cut(self, size: int) -> None:
        if self._disk.exists(self._path) and self._disk.size(self._path) > size:
            self._disk.truncate(self._path, size)


def _split_pieces(fetches: Sequence[ArchivedFetch]) -> Iterator[Sequence[ArchivedFetch]]:
    """Splits fetches, in order. A piece ends with the body that fills it."""
    start = length = 0
    for number, fetch in enumerate(fetches, 1):
        length += fetch.fetched.wire_bytes
        if length >= PIECE_BYTES:
            yield fetches[start:number]
            start, length = number, 0
    if start < len(fetches):
        yield fetches[start:]


def _repair(disk: Disk, durable: Mapping[str, int]) -> None:
    """Cuts off everything that no frame records, then creates missing indices."""
    for name in durable:
        make_warc_path(name)
    unknown = [name for name in disk.list(DIRECTORY) if _is_ours(name) and name not in durable]
    if len(unknown) > 1:
        # Batches are written one at a time, so at most one file is missing from the log.
        raise Broken(
            f"the log knows nothing of {len(unknown)} WARC files, {unknown[0]} first; {suggest_salvage(disk.place)}"
        )
    for name in unknown:
        disk.remove(make_warc_path(name))
        Index(disk, make_warc_path(name)).remove()
    for name, length in durable.items():
        if disk.exists(make_warc_path(name)):
            _cut(disk, name, length)
            Index(disk, make_warc_path(name)).restore()


def _cut(disk: Disk, name: str, length: int) -> None:
    size = disk.size(make_warc_path(name))
    if size < length:
        raise Broken(f"{name} has {size:,} bytes and had {length:,}; put it back from a copy, or move it elsewhere")
    if size > length:
        # The index is removed first: it may list records that are cut off, and the cut would hide that.
        Index(disk, make_warc_path(name)).remove()
        disk.truncate(make_warc_path(name), length)
        disk.sync(make_warc_path(name))


def _is_ours(name: str) -> bool:
    return name.startswith("hondius-") and name.endswith(".warc.gz")


def _parse_serial(name: str) -> int:
    digits = name.rpartition("-")[2].partition(".")[0]
    return int(digits) if digits.isdecimal() else 0
