"""A damaged log, put together again from the frames that can be read.

Numbers must not be missing, for every view counts by them: frames that are lost are replaced by empty ones. What
they said is gone, and nothing that a later frame says is wrong for it.
"""

from collections.abc import Iterator
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from hondius.errors import BrokenLog, HondiusError
from hondius.ports import Disk
from hondius.stores.log import frames
from hondius.stores.log.frames import RawFrame
from hondius.stores.log.segments import HEADER_SIZE, Segment, content, legible, rewrite, segments

MOST_LOST = 4_000_000
"""Frames that one segment can lack. One of 64 MiB holds half as many, if all are as short as can be."""


class Gap(NamedTuple):
    """Frames that cannot be read, first and last, and the times of those around them; 0 where there is none."""

    first: int
    last: int
    after: float
    before: float


def salvage(disk: Disk) -> list[Gap]:
    """Makes the log readable from its first frame to its last; a torn tail is left to whoever opens it."""
    known = segments(disk)
    if known and known[0].first > 1:
        known.insert(0, Segment(1, compressed=False))
    gaps: list[Gap] = []
    for segment, following in pairwise([*known, None]):
        assert segment is not None
        gaps += _mend(disk, segment, None if following is None else following.first - 1)
    return gaps


def _mend(disk: Disk, segment: Segment, last: int | None) -> list[Gap]:
    """`last`: the frame that it must end with; None: it is the last segment, and ends where it ends."""
    whole = list(_whole(disk, segment))
    found = [frame for frame in whole if frames.is_readable(frame, segment.path)]
    end = whole[-1].sequence if whole and last is None else last or segment.first - 1
    gaps = list(_gaps(found, segment.first, end))
    _refuse_absurd(disk, segment, gaps)
    if gaps or not _can_be_read(disk, segment):
        rewrite(disk, segment, b"".join(_filled(found, gaps)))
    return gaps


def _refuse_absurd(disk: Disk, segment: Segment, gaps: list[Gap]) -> None:
    """If the name or the numbers of a file are made up, the gap before it could take for ever to fill."""
    lost = sum(gap.last - gap.first + 1 for gap in gaps)
    if lost > MOST_LOST:
        raise BrokenLog(
            f"{lost:,} frames are missing from {segment.path} on, more than any crawl loses: move the segment files "
            f"elsewhere that do not belong to {disk.place}"
        )


def _can_be_read(disk: Disk, segment: Segment) -> bool:
    """Also where all frames are whole, its header or its compression may be damaged."""
    try:
        return all(True for _ in content(disk, segment))
    except HondiusError:
        return False


def _whole(disk: Disk, segment: Segment) -> Iterator[RawFrame]:
    """The frames whose checksum is right."""
    data = legible(disk, segment) if disk.exists(segment.path) else b""
    position, expected = HEADER_SIZE, segment.first
    while (frame := frames.find(data, position, expected)) is not None:
        frames.refuse_newer(frame, segment.path)
        yield frame
        position, expected = frame.end, frame.sequence + 1


def _gaps(found: list[RawFrame], first: int, last: int) -> Iterator[Gap]:
    before, after = first - 1, 0.0
    for frame in found:
        at = frames.written_at(frame)
        if frame.sequence > before + 1:
            yield Gap(before + 1, frame.sequence - 1, after, at)
        before, after = frame.sequence, at
    if before < last:
        yield Gap(before + 1, last, after, 0.0)


def _filled(found: list[RawFrame], gaps: list[Gap]) -> Iterator[bytes]:
    pieces: list[tuple[int, RawFrame | Gap]] = [(frame.sequence, frame) for frame in found]
    pieces += [(gap.first, gap) for gap in gaps]
    for _, piece in sorted(pieces, key=itemgetter(0)):
        if isinstance(piece, RawFrame):
            yield frames.encoded(piece)
        else:
            yield from (frames.encode(number, piece.after, ()) for number in range(piece.first, piece.last + 1))
