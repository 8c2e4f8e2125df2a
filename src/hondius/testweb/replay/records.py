"""Reads the records of a WARC file in order, and single records by offset."""

import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from hondius.errors import WrongUse

CHUNK = 64 * 1024
LONGEST_HEAD = 256 * 1024
LARGEST_BODY = 64 * 1024 * 1024
"""Longer bodies are truncated."""
GZIP = b"\x1f\x8b"
_WITH_GZIP_HEADER = 31


class IncompleteRecord(Exception):
    """There is no complete record at this offset: the file ends, or is damaged."""


@dataclass(frozen=True, slots=True)
class Record:
    offset: int
    fields: dict[str, str]
    """Field names are in lower case."""
    http_head: bytes
    """Empty if the record is not an answer."""


class Stream(Protocol):
    def readline(self, limit: int = -1, /) -> bytes: ...
    def read(self, size: int = -1, /) -> bytes: ...


class WarcFile:
    """A compressed file must have one gzip member for each record, as the standard recommends: only then can records be
    read by offset."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn_at: int | None = None
        """Where reading had to stop; None if there was no problem."""
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise WrongUse(f"{path} cannot be read ({error.strerror}): check the path") from None
        self._size = path.stat().st_size
        self._packed = self._file.read(2) == GZIP

    def close(self) -> None:
        self._file.close()

    def records(self) -> Iterator[Record]:
        offset = 0
        while offset < self._size:
            try:
                record, offset = self._read_packed_record(offset) if self._packed else self._read_plain_record(offset)
            except (IncompleteRecord, zlib.error):
                self.torn_at = offset
                return
            yield record

    def answer(self, offset: int) -> tuple[bytes, bytes]:
        """HTTP head and body of the record at `offset`, with the body framed as archived. For a resource record, which
        has no HTTP head, one is made from its content type."""
        stream = self._open_stream(offset)
        fields = _read_fields(stream)
        head = _read_http_head(stream, fields)
        body = stream.read(min(LARGEST_BODY, _parse_length(fields) - len(head)))
        return (head or _make_resource_head(fields)), body

    def _open_stream(self, offset: int) -> Stream:
        self._file.seek(offset)
        return io.BufferedReader(_Member(self._file), CHUNK) if self._packed else self._file

    def _read_packed_record(self, offset: int) -> tuple[Record, int]:
        self._file.seek(offset)
        member = _Member(self._file)
        stream = io.BufferedReader(member, CHUNK)
        fields = _read_fields(stream)
        head = _read_http_head(stream, fields)
        left = _parse_length(fields) - len(head)
        while left > 0:
            if not (data := stream.read(min(CHUNK, left))):
                raise IncompleteRecord
            left -= len(data)
        if stream.read(CHUNK).strip():
            raise WrongUse(f"{self.path} is compressed as a whole and not record by record: unpack it first (gunzip)")
        return Record(offset, fields, head), member.end

    def _read_plain_record(self, offset: int) -> tuple[Record, int]:
        self._file.seek(offset)
        fields = _read_fields(self._file)
        block = self._file.tell()
        head = _read_http_head(self._file, fields)
        end = block + _parse_length(fields)
        if end > self._size:
            raise IncompleteRecord
        self._file.seek(end)
        while (line := self._file.readline(CHUNK)) and not line.strip():
            end += len(line)
        return Record(offset, fields, head), end


class _Member(io.RawIOBase):
    """One gzip member, decompressed as it is read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decoder = zlib.decompressobj(_WITH_GZIP_HEADER)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._decoder.eof:
            data = self._decoder.unconsumed_tail or self._file.read(CHUNK)
            inflated = self._decoder.decompress(data, len(buffer))
            if inflated:
                buffer[: len(inflated)] = inflated
                return len(inflated)
            if not data and not self._decoder.eof:
                raise IncompleteRecord
        return 0

    @property
    def end(self) -> int:
        """The start of the next member. Valid after this one was read to its end."""
        return self._file.tell() - len(self._decoder.unused_data)


def _read_fields(stream: Stream) -> dict[str, str]:
    lines = _read_head(stream, LONGEST_HEAD).decode("utf-8", "replace").splitlines()
    if not lines or not lines[0].startswith("WARC/"):
        raise IncompleteRecord
    return {name.strip().lower(): value.strip() for name, value in parse_fields(lines[1:])}


def parse_fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Names and values. A value may continue on lines that begin with a space. Invalid lines are skipped."""
    folded: list[str] = []
    for line in lines:
        if line[:1] in (" ", "\t") and folded:
            folded[-1] += " " + line.strip()
        elif line:
            folded.append(line)
    for line in folded:
        name, colon, value = line.partition(":")
        if colon and name.strip():
            yield name.strip(), value.strip()


def _read_http_head(stream: Stream, fields: dict[str, str]) -> bytes:
    if not fields.get("content-type", "").lower().startswith("application/http"):
        return b""
    return _read_head(stream, min(LONGEST_HEAD, _parse_length(fields)))


def _make_resource_head(fields: dict[str, str]) -> bytes:
    kind = fields.get("content-type", "")
    return (
        b"HTTP/1.1 200 OK\r\n" + (f"Content-Type: {kind}\r\n".encode("latin-1", "replace") if kind else b"") + b"\r\n"
    )


def _read_head(stream: Stream, longest: int) -> bytes:
    """Reads up to and including the empty line."""
    head = bytearray()
    while len(head) < longest:
        line = stream.readline(longest - len(head))
        head += line
        if not line.strip():
            return bytes(head)
    return bytes(head)


def _parse_length(fields: dict[str, str]) -> int:
    text = fields.get("content-length", "")
    if not text.isdecimal() or len(text) > 15:
        raise IncompleteRecord
    return int(text)
