"""A clock that was set back between two runs.

Within a run no time is smaller than one before it: a run measures time by a clock that nobody can set. Where a run
starts at a time before the last one that the run before it wrote down, the wall clock was set back between them. How
long the pause between the two runs was is not known; it was not negative. So all times of the later run are moved
forward by the same number of seconds, its *shift*, such that it starts when the other ended: no pause seems longer than
it was, and times of the two runs can be compared. A clock that was set forward cannot be told from time that passed, by
an audit no more than by a crawl; so the shift stays as it is when the clock is put right again.
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
    RobotsCopy: ("at", "expires_at", "good_at", "failing_since"),
    RobotsHop: ("at",),
    Finished: ("started_at", "fetched_at"),
    Failed: ("at", "not_before"),
    HostOrder: ("at", "paused_until"),
    Blacklisted: ("at",),
    RunStarted: ("at",),
    RunEnded: ("at",),
}
"""The fields that hold a time, of each event that an audit looks at."""

AnEvent = TypeVar("AnEvent", bound=AnyEvent)


@dataclass(frozen=True, slots=True)
class ShiftedAttempt:
    """An attempt record as if the clock had not been set back."""

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
    """Every shift and from when on it holds."""

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
        """How much shorter the time between the two seemed to the crawl, by the clock that was set back."""
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
    """0 and None stand for no time, `FOREVER` for no end."""
    values = {name: getattr(event, name) for name in TIMES.get(type(event), ())}
    moved = {name: value + shift for name, value in values.items() if value and value < FOREVER}
    return msgspec.structs.replace(event, **moved) if moved else event
