"""Times for which frames of the log were lost and salvaged (S10).

A lost frame may have had what justifies a request: a robots.txt, a lifted order, the rules of a run. A request that
seems to be a violation in such a time is not judged, but counted and reported.
"""

from typing import NamedTuple

from hondius.model import Frame, Salvaged
from hondius.use.audit.kinds import Kind

BEHIND = 5.0
"""Most seconds between an event and its frame."""
ALWAYS = float("-inf")
BY_RECORDS_ALONE = frozenset({Kind.OVERLAP, Kind.UNRECORDED, Kind.DAMAGED})
BY_ORDERS = frozenset({Kind.PAUSED, Kind.ORDERED_DELAY, Kind.BLACKLISTED})
"""An order applies until another lifts it, however long that takes."""


class Gap(NamedTuple):
    start: float
    end: float


class Gaps:
    """Sees every frame in order. Lost frames were replaced by empty ones, or cut off at the end."""

    def __init__(self) -> None:
        self.frames = 0
        self.run_started = ALWAYS
        """The start of the present run, as far as the log has it."""
        self._gaps: list[Gap] = []
        self._open = False
        self._read_to = ALWAYS

    def observe(self, frame: Frame) -> None:
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

    def leaves_doubt(self, kind: Kind, at: float, since: float | None = None) -> bool:
        """`since`: the time of the last relevant event in the log; default: the start of the run."""
        if kind in BY_RECORDS_ALONE:
            return False
        if kind in BY_ORDERS:
            since = ALWAYS
        elif since is None:
            since = self.run_started
        if self._open and at >= self._read_to - BEHIND:
            return True
        return any(gap.start <= at and gap.end >= since + BEHIND for gap in self._gaps)
