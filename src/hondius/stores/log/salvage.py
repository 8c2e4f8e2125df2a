"""Repairs a damaged log with the frames that can be read.

Lost frames are replaced by empty ones, because views need frames without gaps. Their events are lost, but later frames
remain valid.
"""

from collections.abc import Iterator
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from hondius.errors import BrokenLog, HondiusError
from hondius.ports import Disk
from hondius.stores.log import frames
from hondius.stores.log.frames import RawFrame
from hondius.stores.log.segments import HEADER_SIZE, Segment, list_segments, read_legible, read_segment, rewrite

MOST_LOST = 4_000_000
"""The most frames that one segment can lack. A segment of 64 MiB has half as many frames of minimum length."""


class Gap(NamedTuple):
    """The first and last of a range of unreadable frames, and the times of the frames around it; 0 if there is none."""

    first: int
    last: int
    after: float
    before: float


def salvage(disk: Disk) -> list[Gap]:
    """Makes the log readable from its first frame to its last. A torn tail is cut off later, by opening it."""
    known = list_segments(disk)
    if known and known[0].first > 1:
        known.insert(0, Segment(1, compressed=False))
    gaps: list[Gap] = []
    for segment, following in pairwise([*known, None]):
        assert segment is not None
        gaps += _repair(disk, segment, None if following is None else following.first - 1)
    return gaps


def _repair(disk: Disk, segment: Segment, last: int | None) -> list[Gap]:
    """`last`: the frame with which the segment must end; None for the last segment."""
    whole = list(_find_frames(disk, segment))
    found = [frame for frame in whole if frames.is_readable(frame, segment.path)]
    end = whole[-1].sequence if whole and last is None else last or segment.first - 1
    gaps = list(_find_gaps(found, segment.first, end))
    _refuse_absurd(disk, segment, gaps)
    if gaps or not _can_be_read(disk, segment):
        rewrite(disk, segment, b"".join(_fill_gaps(found, gaps)))
    return gaps


def _refuse_absurd(disk: Disk, segment: Segment, gaps: list[Gap]) -> None:
    """A forged file name or frame number could make a gap that takes forever to fill."""
    lost = sum(gap.last - gap.first + 1 for gap in gaps)
    if lost > MOST_LOST:
        raise BrokenLog(
            f"{lost:,} frames are missing from {segment.path} on, more than any crawl loses: move the segment files "
            f"elsewhere that do not belong to {disk.place}"
        )


def _can_be_read(disk: Disk, segment: Segment) -> bool:
    """Even if all frames are intact, the header or the compression may be damaged."""
    try:
        return all(True for _ in read_segment(disk, segment))
    except HondiusError:
        return False


def _find_frames(disk: Disk, segment: Segment) -> Iterator[RawFrame]:
    """The frames with a correct checksum."""
    data = read_legible(disk, segment) if disk.exists(segment.path) else b""
    position, expected = HEADER_SIZE, segment.first
    while (frame := frames.find(data, position, expected)) is not None:
        frames.refuse_newer(frame, segment.path)
        yield frame
        position, expected = frame.end, frame.sequence + 1


def _find_gaps(found: list[RawFrame], first: int, last: int) -> Iterator[Gap]:
    before, after = first - 1, 0.0
    for frame in found:
        at = frames.read_time(frame)
        if frame.sequence > before + 1:
            yield Gap(before + 1, frame.sequence - 1, after, at)
        before, after = frame.sequence, at
    if before < last:
        yield Gap(before + 1, last, after, 0.0)


def _fill_gaps(found: list[RawFrame], gaps: list[Gap]) -> Iterator[bytes]:
    pieces: list[tuple[int, RawFrame | Gap]] = [(frame.sequence, frame) for frame in found]
    pieces += [(gap.first, gap) for gap in gaps]
    for _, piece in sorted(pieces, key=itemgetter(0)):
        if isinstance(piece, RawFrame):
            yield frames.reencode(piece)
        else:
            yield from (frames.encode(number, piece.after, ()) for number in range(piece.first, piece.last + 1))
