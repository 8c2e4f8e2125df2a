"""The records of a WARC file, one after the other, and each again by its place."""

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
"""The rest of a longer body is not served."""
GZIP = b"\x1f\x8b"
_WITH_GZIP_HEADER = 31


class Torn(Exception):
    """What lies there is no whole record: the file ends, or is damaged."""


@dataclass(frozen=True, slots=True)
class Record:
    offset: int
    fields: dict[str, str]
    """Names in lower case."""
    http_head: bytes
    """Empty where the record holds no answer."""


class Stream(Protocol):
    def readline(self, limit: int = -1, /) -> bytes: ...
    def read(self, size: int = -1, /) -> bytes: ...


class WarcFile:
    """A member of gzip holds one record, as the standard recommends: only so can it be read from its place."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn_at: int | None = None
        """Where reading had to stop; None while all is well."""
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
                record, offset = self._packed_record(offset) if self._packed else self._plain_record(offset)
            except (Torn, zlib.error):
                self.torn_at = offset
                return
            yield record

    def answer(self, offset: int) -> tuple[bytes, bytes]:
        """HTTP head and body of the record that lies there, the body framed as it was archived. A resource was archived
        without a head: its record tells its type."""
        stream = self._stream(offset)
        fields = _fields(stream)
        head = _http_head(stream, fields)
        body = stream.read(min(LARGEST_BODY, _length(fields) - len(head)))
        return (head or _head_of_resource(fields)), body

    def _stream(self, offset: int) -> Stream:
        self._file.seek(offset)
        return io.BufferedReader(_Member(self._file), CHUNK) if self._packed else self._file

    def _packed_record(self, offset: int) -> tuple[Record, int]:
        self._file.seek(offset)
        member = _Member(self._file)
        stream = io.BufferedReader(member, CHUNK)
        fields = _fields(stream)
        head = _http_head(stream, fields)
        left = _length(fields) - len(head)
        while left > 0:
            if not (data := stream.read(min(CHUNK, left))):
                raise Torn
            left -= len(data)
        if stream.read(CHUNK).strip():
            raise WrongUse(f"{self.path} is compressed as a whole and not record by record: unpack it first (gunzip)")
        return Record(offset, fields, head), member.end

    def _plain_record(self, offset: int) -> tuple[Record, int]:
        self._file.seek(offset)
        fields = _fields(self._file)
        block = self._file.tell()
        head = _http_head(self._file, fields)
        end = block + _length(fields)
        if end > self._size:
            raise Torn
        self._file.seek(end)
        while (line := self._file.readline(CHUNK)) and not line.strip():
            end += len(line)
        return Record(offset, fields, head), end


class _Member(io.RawIOBase):
    """One gzip member, inflated as far as it is read."""

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
                raise Torn
        return 0

    @property
    def end(self) -> int:
        """Where the next member begins, once this one was read to its end."""
        return self._file.tell() - len(self._decoder.unused_data)


def _fields(stream: Stream) -> dict[str, str]:
    lines = _head(stream, LONGEST_HEAD).decode("utf-8", "replace").splitlines()
    if not lines or not lines[0].startswith("WARC/"):
        raise Torn
    return {name.strip().lower(): value.strip() for name, value in fields_of(lines[1:])}


def fields_of(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Names and values; a value may go on in lines that begin with a space. What is no field is left out."""
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


def _http_head(stream: Stream, fields: dict[str, str]) -> bytes:
    if not fields.get("content-type", "").lower().startswith("application/http"):
        return b""
    return _head(stream, min(LONGEST_HEAD, _length(fields)))


def _head_of_resource(fields: dict[str, str]) -> bytes:
    kind = fields.get("content-type", "")
    return (
        b"HTTP/1.1 200 OK\r\n" + (f"Content-Type: {kind}\r\n".encode("latin-1", "replace") if kind else b"") + b"\r\n"
    )


def _head(stream: Stream, longest: int) -> bytes:
    """To its empty line, which belongs to it."""
    head = bytearray()
    while len(head) < longest:
        line = stream.readline(longest - len(head))
        head += line
        if not line.strip():
            return bytes(head)
    return bytes(head)


def _length(fields: dict[str, str]) -> int:
    text = fields.get("content-length", "")
    if not text.isdecimal() or len(text) > 15:
        raise Torn
    return int(text)
