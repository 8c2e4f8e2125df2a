"""Repairs a damaged log with the frames that can be read.

Lost frames are replaced by empty ones, because views need frames without gaps. Their events are lost, but later frames
remain valid.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from hondius.errors import BrokenLog, HondiusError
from hondius.ports import Disk
from hondius.stores.log import frames
from hondius.stores.log.frames import FrameError, RawFrame
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
    """`last`: the frame with which the segment must end; None for the last segment. A damaged segment is read twice,
    because its frames do not fit into memory: once for the gaps, and once to be copied."""
    if _is_intact(disk, segment, last):
        return []
    gaps = list(_find_gaps(disk, segment, last))
    _refuse_absurd(disk, segment, gaps)
    if gaps or not _can_be_read(disk, segment):
        rewrite(disk, segment, _fill_gaps(disk, segment, gaps))
    return gaps


def _is_intact(disk: Disk, segment: Segment, last: int | None) -> bool:
    """Whether nothing is to be repaired. Frames may have any length here."""
    expected = segment.first
    try:
        for frame in frames.split(read_segment(disk, segment), HEADER_SIZE):
            if frame.sequence != expected or not frames.is_readable(frame, segment.path):
                return False
            expected += 1
    except (FrameError, HondiusError):
        return False
    return last is None or expected == last + 1


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


def _find_frames(disk: Disk, segment: Segment) -> Iterator[tuple[RawFrame, bool]]:
    """The frames with a correct checksum, and whether they are readable."""
    chunks = read_legible(disk, segment) if disk.exists(segment.path) else ()
    for frame in frames.search(chunks, HEADER_SIZE, segment.first):
        frames.refuse_newer(frame, segment.path)
        yield frame, frames.is_readable(frame, segment.path)


def _find_gaps(disk: Disk, segment: Segment, last: int | None) -> Iterator[Gap]:
    before, after = segment.first - 1, 0.0
    end = before if last is None else last
    for frame, is_readable in _find_frames(disk, segment):
        if last is None:
            end = frame.sequence
        if not is_readable:
            continue
        at = frames.read_time(frame)
        if frame.sequence > before + 1:
            yield Gap(before + 1, frame.sequence - 1, after, at)
        before, after = frame.sequence, at
    if before < end:
        yield Gap(before + 1, end, after, 0.0)


def _fill_gaps(disk: Disk, segment: Segment, gaps: list[Gap]) -> Iterator[bytes]:
    """The readable frames, and empty ones in the gaps."""
    following = iter(gaps)
    gap = next(following, None)
    for frame, is_readable in _find_frames(disk, segment):
        if not is_readable:
            continue
        while gap is not None and gap.last < frame.sequence:
            yield from _make_empty(gap)
            gap = next(following, None)
        yield frames.reencode(frame)
    while gap is not None:
        yield from _make_empty(gap)
        gap = next(following, None)


def _make_empty(gap: Gap) -> Iterator[bytes]:
    return (frames.encode(number, gap.after, ()) for number in range(gap.first, gap.last + 1))
