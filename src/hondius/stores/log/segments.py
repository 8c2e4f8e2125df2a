"""The segment files of the log: their list, their header, and the compression of sealed ones.

`00000000000000000042.log` contains frames from 42 on. `….log.gz` has the same bytes in gzip: one member per mebibyte,
so that damage affects only one of them. During the change both exist, with equal content. `….damaged` is a segment that
a salvage could not read completely, kept unchanged.
"""

import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from hondius.errors import BadDirectory, BrokenLog
from hondius.hints import suggest_salvage
from hondius.model import FORMAT
from hondius.native import gzip_member
from hondius.ports import Disk

DIRECTORY = "log"
_HEADER = struct.Struct("<8sI")
_MAGIC = b"HONDLOG\n"
HEADER_SIZE = _HEADER.size
STEP_BYTES = 1 << 20
"""Bytes read at a time."""
_GZIP = 16 + zlib.MAX_WBITS
_MEMBER = b"\x1f\x8b\x08"


_NAME = re.compile(r"([0-9]{20})\.log(\.gz)?")
"""Files with other names are ignored: a directory from a stranger may contain any."""
LAST_SEQUENCE = 2**53
UNPACKED = 8 * STEP_BYTES
"""Maximum bytes that one step of decompression yields."""
LARGEST = 5 * 2**30
"""Bytes of a segment, unpacked: `stores.log_bytes` may be 4 GiB, plus its last frame. A sparse file of a stranger may
have any size."""
LEGIBLE = 2**30
"""Bytes of a damaged segment that are searched for frames."""


class Segment(NamedTuple):
    first: int
    """Sequence of its first frame."""
    compressed: bool

    @property
    def path(self) -> str:
        return f"{DIRECTORY}/{self.first:020}.log" + (".gz" if self.compressed else "")


def list_segments(disk: Disk) -> list[Segment]:
    """In order. If a segment exists twice, the compressed one: it was complete before it got its name."""
    found = {}
    for name in disk.list(DIRECTORY):
        if (match := _NAME.fullmatch(name)) and 0 < int(match[1]) <= LAST_SEQUENCE:
            segment = Segment(int(match[1]), match[2] is not None)
            if segment.compressed or segment.first not in found:
                found[segment.first] = segment
    return [found[first] for first in sorted(found)]


def create(disk: Disk, first: int) -> Segment:
    segment = Segment(first, compressed=False)
    disk.replace(segment.path, _HEADER.pack(_MAGIC, FORMAT))
    return segment


def read_segment(disk: Disk, segment: Segment, start: int = HEADER_SIZE) -> Iterator[bytes]:
    """The bytes of a segment from `start` on; after its header, unless it is a plain file whose header was checked."""
    if not segment.compressed and disk.size(segment.path) > LARGEST:
        raise _make_damage_error(segment, disk)
    if start > HEADER_SIZE and not segment.compressed:
        yield from _read_chunks(disk, segment.path, start)
        return
    chunks = _read_plain(disk, segment)
    header = b""
    while len(header) < HEADER_SIZE and (chunk := next(chunks, b"")):
        header += chunk
    _check_header(header[:HEADER_SIZE], segment, disk)
    yield header[HEADER_SIZE:]
    yield from chunks


def _check_header(header: bytes, segment: Segment, disk: Disk) -> None:
    if len(header) < HEADER_SIZE or not header.startswith(_MAGIC):
        raise BrokenLog(f"{segment.path} is not a log segment; {suggest_salvage(disk.place)}")
    written_format = _HEADER.unpack(header)[1]
    if written_format > FORMAT:
        raise BadDirectory(f"{segment.path} was written by a newer Hondius (format {written_format}); upgrade")


def _read_plain(disk: Disk, segment: Segment) -> Iterator[bytes]:
    if not segment.compressed:
        yield from _read_chunks(disk, segment.path)
        return
    inflate, unpacked = zlib.decompressobj(_GZIP), 0
    try:
        for chunk in _read_chunks(disk, segment.path):
            while chunk:
                inflate = zlib.decompressobj(_GZIP) if inflate.eof else inflate
                part = inflate.decompress(chunk, UNPACKED)
                yield part
                unpacked += len(part)
                if unpacked > LARGEST:
                    raise _make_damage_error(segment, disk)
                chunk = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
    except zlib.error as error:
        raise _make_damage_error(segment, disk) from error
    if not inflate.eof:
        raise _make_damage_error(segment, disk)


def read_legible(disk: Disk, segment: Segment) -> Iterator[bytes]:
    """All readable bytes of a damaged segment, including its header, to search for frames."""
    if not segment.compressed:
        yield from _read_chunks(disk, segment.path, most=LEGIBLE)
        return
    file, held, position = _Blocks(disk, segment.path), 0, 0
    while held < LEGIBLE and (position := file.find(_MEMBER, position)) >= 0:
        member = _Member(file, position)
        for part in member.inflate(LEGIBLE - held):
            yield part
            held += len(part)
        position = member.behind


class _Blocks:
    """The first LEGIBLE bytes of a file. One block of them is in memory."""

    def __init__(self, disk: Disk, path: str) -> None:
        self._disk = disk
        self._path = path
        self._start = 0
        self._block = b""

    def read(self, offset: int) -> bytes:
        """Up to STEP_BYTES / 16 bytes from `offset` on; empty at the end."""
        length = min(STEP_BYTES // 16, LEGIBLE - offset)
        if not self._start <= offset <= offset + length <= self._start + len(self._block):
            self._start, self._block = offset, self._disk.read(self._path, offset, min(STEP_BYTES, LEGIBLE - offset))
        return self._block[offset - self._start :][:length]

    def find(self, wanted: bytes, offset: int) -> int:
        """The offset of the first occurrence at or after `offset`; -1 if there is none."""
        while len(some := self.read(offset)) >= len(wanted):
            if (place := some.find(wanted)) >= 0:
                return offset + place
            offset += len(some) - len(wanted) + 1
        return -1


class _Member:
    """One gzip member of a damaged file."""

    def __init__(self, file: _Blocks, position: int) -> None:
        self._file = file
        self._position = position
        self.behind = position + len(_MEMBER)
        """Where to look for the next member."""

    def inflate(self, most: int) -> Iterator[bytes]:
        """Its readable content, up to `most` bytes."""
        inflate, position, held = zlib.decompressobj(_GZIP), self._position, 0
        try:
            while not inflate.eof and held < most and (chunk := self._file.read(position)):
                position += len(chunk)
                while chunk and not inflate.eof and held < most:
                    part = inflate.decompress(chunk, min(UNPACKED, most - held))
                    yield part
                    held += len(part)
                    chunk = inflate.unconsumed_tail
        except zlib.error:
            return
        if inflate.eof:
            self.behind = position - len(inflate.unused_data)


def rewrite(disk: Disk, segment: Segment, content: Iterable[bytes]) -> None:
    """Replaces the content of a segment; the old file is kept under another name. It is not renamed: after a crash
    between the two steps, the segment would be missing."""
    if disk.exists(segment.path):
        disk.copy(segment.path, f"{segment.path}.damaged")
    header = _HEADER.pack(_MAGIC, FORMAT)
    disk.replace(segment._replace(compressed=False).path, _gather(chain([header], content)))
    if segment.compressed:
        disk.remove(segment.path)


def _gather(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Joins small parts: each part is one write."""
    some: list[bytes] = []
    size = 0
    for part in parts:
        some.append(part)
        size += len(part)
        if size >= STEP_BYTES:
            yield b"".join(some)
            some, size = [], 0
    yield b"".join(some)


def _make_damage_error(segment: Segment, disk: Disk) -> BrokenLog:
    return BrokenLog(f"{segment.path} is damaged; {suggest_salvage(disk.place)}")


def _read_chunks(disk: Disk, path: str, offset: int = 0, most: int = LARGEST) -> Iterator[bytes]:
    """The bytes of a file from `offset` on; none beyond its first `most`."""
    while offset < most and (chunk := disk.read(path, offset, min(STEP_BYTES, most - offset))):
        yield chunk
        offset += len(chunk)


class Compaction:
    """Compresses one sealed segment, step by step.

    Only the last step writes: it replaces the compressed file atomically, and then removes the old one. So a crash
    leaves one of the two, or both.
    """

    def __init__(self, disk: Disk, segment: Segment) -> None:
        self._disk = disk
        self._segment = segment
        self._read = 0
        self._parts: list[bytes] = []

    def step(self, size: int) -> bool:
        """Compresses the next `size` bytes as one gzip member. Returns True when it is done."""
        if chunk := self._disk.read(self._segment.path, self._read, size):
            self._read += len(chunk)
            self._parts.append(gzip_member(chunk))
            return False
        self._disk.replace(self._segment._replace(compressed=True).path, b"".join(self._parts))
        self._disk.remove(self._segment.path)
        return True


def remove_superseded(disk: Disk) -> None:
    """Removes the plain file of a segment that also exists compressed, after a crash between the two steps."""
    for segment in list_segments(disk):
        twin = segment._replace(compressed=False)
        if segment.compressed and disk.exists(twin.path):
            disk.remove(twin.path)
