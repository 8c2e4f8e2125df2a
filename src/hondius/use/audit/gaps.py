"""Times of which the log tells nothing any more, for its frames were lost and salvaged (S10).

What they said may be what excuses a request: a robots.txt, a lifted order, the rules of a run. Where the log has lost
what could tell, a request that seems wrong is not judged; it is counted, and the report says so.
"""

from typing import NamedTuple

from hondius.model import Frame, Salvaged
from hondius.use.audit.kinds import Kind

BEHIND = 5.0
"""Seconds from what happens to the frame that tells of it, at most."""
ALWAYS = float("-inf")
BY_RECORDS_ALONE = frozenset({Kind.OVERLAP, Kind.UNRECORDED, Kind.DAMAGED})
BY_ORDERS = frozenset({Kind.PAUSED, Kind.ORDERED_DELAY, Kind.BLACKLISTED})
"""An order holds until another lifts it, however long that takes."""


class Gap(NamedTuple):
    start: float
    end: float


class Gaps:
    """Hears of every frame, in order. Lost frames were replaced by empty ones, or cut off where they were the last."""

    def __init__(self) -> None:
        self.frames = 0
        self.run_started = ALWAYS
        """When the run began whose rules are in force, as far as the log tells."""
        self._gaps: list[Gap] = []
        self._open = False
        self._read_to = ALWAYS

    def hear(self, frame: Frame) -> None:
        if not frame.events:
            self.frames += 1
            self._open = True
            return
        cut_off = sum(
            last - first + 1
            for event in frame.events
            if isinstance(event, Salvaged)
            for first, last in event.lost
            if first >= frame.sequence
        )
        self.frames += cut_off
        if self._open or cut_off:
            self._gaps.append(Gap(self._read_to - BEHIND, frame.at))
        self._open = False
        self._read_to = frame.at

    def leave_doubt(self, kind: Kind, at: float, since: float | None = None) -> bool:
        """`since`: when the last thing happened that the log does tell and that bears upon this; without it, the start
        of the run."""
        if kind in BY_RECORDS_ALONE:
            return False
        if kind in BY_ORDERS:
            since = ALWAYS
        elif since is None:
            since = self.run_started
        if self._open and at >= self._read_to - BEHIND:
            return True
        return any(gap.start <= at and gap.end >= since + BEHIND for gap in self._gaps)
