"""A frame as bytes: length, checksum, then format, sequence, wall time, epoch, events.

The length and the checksum are of everything after them. Integers are little endian. Each frame names its own format,
so a log may contain several formats: a crawl of format 1 continues in format 2 (decision 0019). Format 1 has no epoch,
and validators are text.
"""

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple
from zlib import crc32

import msgspec

from hondius import __version__
from hondius.errors import BadDirectory, HondiusError
from hondius.model import (
    FORMAT,
    NO_EPOCH,
    RESERVED_EVENTS,
    AnyEvent,
    Epoch,
    Frame,
)
from hondius.plausible import find_implausible, is_plausible
from hondius.stores.log.format_1 import decode_format_1

MOST_BYTES = 512 * 1024 * 1024
"""The maximum of one frame. A commit has a few megabytes; a thousand robots.txt of maximum size would still fit."""
WINDOW = 64 * 1024 * 1024
"""Bytes that a search among damaged bytes holds, and so the longest frame that it finds."""
_PREFIX = struct.Struct("<II")
_HEAD = struct.Struct("<BQd")
"""Format, sequence, wall time: the same in every format."""
_EPOCH = struct.Struct("<QQ")
_FIRST_WITH_EPOCH = 2
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[AnyEvent, ...])
_raw_decoder = msgspec.msgpack.Decoder(list[msgspec.Raw])


class RawFrame(NamedTuple):
    """A frame with a correct checksum, its events still encoded."""

    offset: int
    """Where it starts in its segment."""
    end: int
    sequence: int
    content: bytes


class FrameError(Exception):
    """The bytes at `offset` are not a complete frame. Never leaves this package."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


class UnreadableFrame(BadDirectory):
    """The checksum of a frame is correct, but its events are unknown: a newer Hondius wrote them, or they are
    forged."""


class ImplausibleEvent(ValueError):
    """A bug: Hondius was about to write what it would not believe."""


def encode(sequence: int, at: float, events: Sequence[AnyEvent], epoch: Epoch = NO_EPOCH) -> bytes:
    """Decodes the events once before they are written: an unreadable frame would make the whole log unreadable. Raises
    ImplausibleEvent for a rare event that a salvage would drop."""
    payload = _encoder.encode(events)
    if (strange := find_implausible(_decoder.decode(payload))) is not None:
        raise ImplausibleEvent(f"an event has an impossible value: {strange!r:.500}")
    head = _HEAD.pack(FORMAT, sequence, at) + _EPOCH.pack(*epoch)
    if len(head) + len(payload) > MOST_BYTES:
        raise HondiusError(f"a frame of {len(payload):,} bytes is longer than a log takes; lower stores.commit_changes")
    prefix = _PREFIX.pack(len(head) + len(payload), crc32(payload, crc32(head)))
    return b"".join((prefix, head, payload))


def reencode(raw: RawFrame) -> bytes:
    """The original bytes of a frame."""
    return _PREFIX.pack(len(raw.content), crc32(raw.content)) + raw.content


def read_time(raw: RawFrame) -> float:
    at: float = _HEAD.unpack_from(raw.content)[2]
    return at


def refuse_newer(raw: RawFrame, where: str) -> None:
    if raw.content[0] > FORMAT:
        raise BadDirectory(f"{where} was written by a newer Hondius (format {raw.content[0]}); upgrade")


def compute_identity(frame: bytes) -> int:
    """The identity of a log that begins with this frame, in the range of SQLite. The first frame contains the start
    time and the settings of the first run."""
    return int.from_bytes(blake2b(frame, digest_size=8).digest(), "little") >> 1 or 1


def decode(raw: RawFrame, where: str, log: int = 0) -> Frame:
    refuse_newer(raw, where)
    written_format, sequence, at = _HEAD.unpack_from(raw.content)
    payload = memoryview(raw.content)[_measure_head(raw.content) :]
    try:
        if written_format < _FIRST_WITH_EPOCH:
            return Frame(sequence, at, decode_format_1(payload), log)
        offset, number = _EPOCH.unpack_from(raw.content, _HEAD.size)
        return Frame(sequence, at, _decoder.decode(payload), log, (offset, number))
    except (msgspec.DecodeError, RecursionError) as error:
        reserved = _describe_reserved_event(payload)
        what = reserved or f"what this Hondius cannot read ({error})"
        kind = BadDirectory if reserved else UnreadableFrame
        raise kind(
            f"frame {sequence} of {where} holds {what}; this is Hondius {__version__}, format {FORMAT}: upgrade"
        ) from error


def is_readable(raw: RawFrame, where: str) -> bool:
    """Whether its events are known and plausible. Raises BadDirectory if a newer Hondius wrote it."""
    try:
        return is_plausible(decode(raw, where))
    except UnreadableFrame:
        return False


def _describe_reserved_event(payload: memoryview) -> str:
    """Describes the first event of a later version; empty if there is none."""
    try:
        tags = (msgspec.msgpack.decode(event, type=list)[0] for event in _raw_decoder.decode(payload))
        return next(
            (f"an event of a newer Hondius, {RESERVED_EVENTS[tag]}" for tag in tags if tag in RESERVED_EVENTS), ""
        )
    except (msgspec.DecodeError, RecursionError, IndexError, TypeError):
        return ""


def _measure_head(content: bytes) -> int:
    return _HEAD.size + (_EPOCH.size if content[0] >= _FIRST_WITH_EPOCH else 0)


def split(chunks: Iterable[bytes], offset: int) -> Iterator[RawFrame]:
    """Splits the bytes of a segment from `offset` on into frames. Raises FrameError at the end if the last is
    incomplete."""
    parts: list[bytes] = []
    held = needed = 0
    for chunk in chunks:
        parts.append(chunk)
        held += len(chunk)
        if held < needed:
            continue  # join only complete frames: joining at every chunk would take quadratic time
        data, position = b"".join(parts), 0
        while (frame := _parse_frame(data, position, offset)) is not None:
            yield frame
            position = frame.end - offset
        rest, offset = data[position:], offset + position
        parts, held, needed = [rest], len(rest), _measure_frame(rest)
    if held:
        raise FrameError(offset)


def _measure_frame(data: bytes) -> int:
    """The length in bytes of the frame that starts here; of its prefix if that is incomplete."""
    return _PREFIX.size + (_PREFIX.unpack_from(data)[0] if len(data) >= _PREFIX.size else 0)


def _parse_frame(data: bytes | bytearray, position: int, offset: int) -> RawFrame | None:
    """None if more bytes are needed."""
    start = position + _PREFIX.size
    if start > len(data):
        return None
    length, checksum = _PREFIX.unpack_from(data, position)
    if not _HEAD.size <= length <= MOST_BYTES:
        raise FrameError(offset + position)
    if start + length > len(data):
        return None
    content = bytes(data[start : start + length])
    if crc32(content) != checksum or length < _measure_head(content):
        raise FrameError(offset + position)
    return RawFrame(offset + position, offset + start + length, _HEAD.unpack_from(content)[1], content)


def find(data: bytes, start: int, expected: int) -> RawFrame | None:
    """Finds the first complete frame at or after `start` whose sequence is `expected` or one of the next 16 million."""
    return next(search([data], start, expected, MOST_BYTES), None)


def search(chunks: Iterable[bytes], start: int, expected: int, longest: int = WINDOW) -> Iterator[RawFrame]:
    """Searches damaged bytes from `start` on for complete frames in ascending order. The sequence of the first is
    `expected` or one of the next 16 million, and so on. It holds one chunk and the bytes of one candidate. Frames
    longer than `longest` are not found.

    It looks for a format byte and the upper bytes of a sequence; the checksum decides.
    """
    source, data, offset, position = iter(chunks), bytearray(), 0, start
    candidates = _compile_candidates(expected)
    while True:
        match = candidates.search(data, position + _PREFIX.size)
        first = max(position, len(data) - _SHORTEST + 1) if match is None else match.start() - _PREFIX.size
        needed = _SHORTEST if match is None else _measure_candidate(data, first, longest)
        if first + needed > len(data):
            dropped = min(first, len(data))
            del data[:dropped]
            offset, position = offset + dropped, first - dropped
            if _read_more(source, data, position + needed) or match is not None:
                first = position
            else:
                return
        if match is None:
            continue
        frame = _try_parse_frame(data, first, offset)
        if frame is None or frame.sequence < expected:
            position = first + 1
            continue
        yield frame
        position, expected = frame.end - offset, frame.sequence + 1
        candidates = _compile_candidates(expected)


def _compile_candidates(expected: int) -> re.Pattern[bytes]:
    upper = b"|".join(re.escape(high.to_bytes(5, "little")) for high in (expected >> 24, (expected >> 24) + 1))
    return re.compile(rb"(?=[\x01-\xff][\x00-\xff]{3}(?:" + upper + rb"))")


_SHORTEST = _PREFIX.size + 9
"""Bytes that a candidate has at least: its prefix, its format and its sequence."""


def _measure_candidate(data: bytearray, position: int, longest: int) -> int:
    """The bytes that are needed to check a candidate; only its prefix if it is too long."""
    length: int = _PREFIX.unpack_from(data, position)[0]
    return _PREFIX.size + (length if length <= longest else 0)


def _read_more(source: Iterator[bytes], data: bytearray, needed: int) -> bool:
    """Appends chunks until there are `needed` bytes. Returns whether there was one more."""
    before = len(data)
    while len(data) < needed and (chunk := next(source, None)) is not None:
        data += chunk
    return len(data) > before


def _try_parse_frame(data: bytearray, position: int, offset: int) -> RawFrame | None:
    try:
        return _parse_frame(data, position, offset)
    except FrameError:
        return None
