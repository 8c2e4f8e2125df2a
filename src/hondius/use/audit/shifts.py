"""Handles a wall clock that was set back between two runs.

Times within a run never decrease: a run uses a clock that cannot be set. If a run starts before the last time that the
previous run recorded, the wall clock was set back between them. The time between the two runs is unknown, but not
negative. So all times of the later run are moved forward by the same number of seconds, its *shift*, such that it
starts when the other ended. Then no pause seems longer than it was, and times of the two runs can be compared. A clock
that was set forward cannot be distinguished from time that passed, so the shift remains when the clock is corrected.
"""

from bisect import bisect_right
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from hondius.model import (
    FOREVER,
    AnyEvent,
    Blacklisted,
    Failed,
    Finished,
    Frame,
    HostOrder,
    HostState,
    RobotsCopy,
    RobotsHop,
    RunEnded,
    RunStarted,
)
from hondius.native import Attempt

TIMES: dict[type, tuple[str, ...]] = {
    HostState: ("at", "not_before", "circuit_until"),
    RobotsCopy: ("at", "expires_at", "good_at", "failing_since", "tdmrep_at"),
    RobotsHop: ("at",),
    Finished: ("started_at", "fetched_at"),
    Failed: ("at", "not_before"),
    HostOrder: ("at", "paused_until"),
    Blacklisted: ("at",),
    RunStarted: ("at",),
    RunEnded: ("at",),
}
"""The time fields of each event that an audit reads."""

AnEvent = TypeVar("AnEvent", bound=AnyEvent)


@dataclass(frozen=True, slots=True)
class ShiftedAttempt:
    """An attempt record with its time corrected for a clock that was set back."""

    ended: bool
    sent: bool
    at: float
    key: bytes
    host_hash: int
    address: str
    kind: str
    status: int


AnyAttempt = Attempt | ShiftedAttempt


class Shifts:
    """All shifts, each with the time from which it applies."""

    def __init__(self) -> None:
        self._since = [float("-inf")]
        self._shifts = [0.0]

    @property
    def last(self) -> float:
        return self._shifts[-1]

    def grow_to(self, shift: float, since: float) -> None:
        if shift > self.last:
            self._shifts.append(shift)
            self._since.append(since)

    def between(self, earlier: float, later: float) -> float:
        """By how much the crawl underestimated the time between the two, because its clock was set back."""
        return self._at(later) - self._at(earlier)

    def _at(self, time: float) -> float:
        return self._shifts[bisect_right(self._since, time) - 1]


def shift_attempt(attempt: Attempt, shift: float) -> AnyAttempt:
    if not shift:
        return attempt
    return ShiftedAttempt(
        attempt.ended,
        attempt.sent,
        attempt.at + shift,
        attempt.key,
        attempt.host_hash,
        attempt.address,
        attempt.kind,
        attempt.status,
    )


def shift_frame(frame: Frame, shift: float) -> Frame:
    if not shift:
        return frame
    return msgspec.structs.replace(
        frame, at=frame.at + shift, events=tuple(shift_event(event, shift) for event in frame.events)
    )


def shift_event(event: AnEvent, shift: float) -> AnEvent:
    """Leaves 0 and None (no time) and `FOREVER` (no end) unchanged."""
    values = {name: getattr(event, name) for name in TIMES.get(type(event), ())}
    moved = {name: value + shift for name, value in values.items() if value and value < FOREVER}
    return msgspec.structs.replace(event, **moved) if moved else event
