"""Archive, in memory: the same records, without files."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hondius.clock import Clock
from hondius.errors import HondiusError
from hondius.moves import Move
from hondius.native import WarcSettings, warc_block, warc_information
from hondius.ports import ArchivedFetch, Record, Rewriting, StoredRecord
from hondius.stores.archive.embedded import Receipt
from hondius.stores.archive.originals import Originals
from hondius.stores.archive.reading import LARGEST_BODY, decode_record
from hondius.stores.archive.rewriting import copy_records, name_revision


class MemoryRecords:
    """ArchiveReader, for a dictionary: WARC file → its bytes."""

    def __init__(self, files: dict[str, bytearray]) -> None:
        self._files = files

    def record(self, file: str, offset: int, length: int) -> bytes:
        if file not in self._files:
            raise HondiusError(f"there is no WARC file {file}")
        return bytes(self._files[file][offset : offset + length])

    def read(self, file: str, offset: int, length: int, cap: int = LARGEST_BODY) -> Record:
        return decode_record(self.record(file, offset, length), f"{file} holds no record at {offset}", cap)

    def size(self) -> int:
        return sum(map(len, self._files.values()))


class MemoryArchive(MemoryRecords):
    """One writer, one file per run. `durable`: the lengths that the frames record; bytes after that were never
    committed."""

    def __init__(
        self,
        files: dict[str, bytearray],
        *,
        durable: Mapping[str, int],
        software: str,
        operator: str = "",
        clock: Clock,
    ) -> None:
        super().__init__(files)
        self._settings = WarcSettings(software=software, operator=operator)
        self._clock = clock
        self._originals = Originals()
        for name in [*files]:
            del files[name][durable.get(name, 0) :]
            if name not in durable:
                del files[name]
        self._name = f"hondius-{max(map(_parse_serial, files), default=0) + 1:05}.warc.gz"

    def append(self, fetches: Sequence[ArchivedFetch]) -> Receipt:
        if not fetches:
            return Receipt([], [])
        file = self._files.setdefault(self._name, bytearray())
        head = b"" if file else warc_information(self._settings, self._name, self._clock.now())
        rows = [self._make_row(fetch) for fetch in fetches]
        block = warc_block(self._settings, rows, len(file) + len(head), self._name)
        file += head + block.data
        for fetch, date, digest in zip(fetches, block.dates, block.payload_digests, strict=True):
            self._originals.remember(fetch.fetched.href, date, digest)
        locations = [(self._name, offset, length) for offset, length in block.positions]
        return Receipt(locations, [(self._name, len(file))])

    def has(self, file: str) -> bool:
        return file in self._files

    def rewrite(self, file: str, length: int, is_unwanted: Callable[[StoredRecord], bool]) -> Rewriting:
        assert file != self._name, "it still grows"
        into, moves = name_revision(file), list[Move]()
        old, new = self._files[file], bytearray(warc_information(self._settings, into, self._clock.now()))

        def read(offset: int, size: int) -> bytes:
            return bytes(old[offset : offset + size])

        for piece in copy_records(self._settings, read, length, into, len(new), is_unwanted):
            new += piece.data
            moves += piece.moves
        self._files[into] = new
        return Rewriting(into, len(new), moves)

    def remove(self, file: str) -> None:
        self._files.pop(file, None)

    def close(self) -> None:
        """Keeps everything that was appended. The file grows no more."""
        self._name = ""

    def _make_row(self, fetch: ArchivedFetch) -> tuple[Any, str | None, str | None, str | None, str, bool]:
        digest = self._originals.find_digest(fetch.copy_of, fetch.copy_date)
        return fetch.fetched, fetch.copy_of, fetch.copy_date, digest, fetch.metadata, fetch.keep_body


def _parse_serial(name: str) -> int:
    return int(name.partition("-")[2].partition(".")[0])
