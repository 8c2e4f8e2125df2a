"""What the log tells, in order of time.

A frame is written a moment after what it tells of, so the log is read a little ahead of the records; what it tells
waits in a heap until its time has come. Orders and robots copies do not wait: they are asked for by their time.

The log is not read past the start of a run before the records of that run come: only then is it known when the run
before it gave its last sign of life, and whether the clock was set back between them (`shifts.py`).
"""

import heapq
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hondius.model import (
    AnyEvent,
    Failed,
    Finished,
    Frame,
    HostState,
    RobotsCopy,
    RobotsHop,
    RunStarted,
)
from hondius.ports import Log
from hondius.use.audit.gaps import Gaps
from hondius.use.audit.shifts import Shifts, shift_frame

AHEAD = 5.0
"""Seconds of the log in memory. What is committed later than this after it happened counts from its commit."""
MOST_BETWEEN_RUNS = 1_000
"""Frames between two runs, each an order. More of them: the frame that told of the run's start was lost."""
NAMED_AFTER = 0.5
"""Seconds that a name waits behind its answer: records of one moment may stand in any order."""


class Ending(NamedTuple):
    """Of a `Finished` or `Failed` what an audit needs: there are thousands of them in memory."""

    key: bytes
    url: str
    host: str
    started_at: float | None
    """None for one that was tried again: the last request before it is meant."""
    ended_at: float
    status: int | None


Fact = HostState | RunStarted | Ending | RobotsCopy | RobotsHop


class Facts:
    def __init__(self, log: Log, seen: Callable[[AnyEvent, float], None], gaps: Gaps, shifts: Shifts) -> None:
        """`seen` hears of every event at once, with the time of its commit; `gaps` of every frame."""
        self._gaps = gaps
        self._frames = log.read()
        self._seen = seen
        self._heap: list[tuple[float, int, Fact]] = []
        self._count = 0
        self._read_to = float("-inf")
        self._held: Frame | None = None
        self._run = 0.0
        """The number of the file whose records come."""
        self._is_numbered = True
        """Whether the last run that the log told of named its file: runs of older versions do not."""
        self.shifts = shifts
        self._shift_of_run = 0.0
        self.steps = 0
        """How often the clock was set back."""

    def enter(self, run: int, first_sign: float, last_sign: float) -> float:
        """The records of another run come. Returns the shift of its times. `first_sign` is the time of its first
        record, `last_sign` that of the last record of the run before it."""
        self._run = run
        self._read_to = max(self._read_to, last_sign)
        if self._held is None and not self._is_numbered:
            return self.shifts.last
        since_a_start = 0
        while since_a_start < MOST_BETWEEN_RUNS and (frame := self._next()) is not None:
            self._take(frame)
            since_a_start += 1
            if (started := _run_started(frame)) is not None:
                if not 0 < started.attempts < run:
                    return self.shifts.last
                since_a_start = 0  # one that sent nothing
        # The run was killed before its first frame, or that frame was lost.
        shift = max(self._shift_of_run, last_sign - first_sign)
        self.shifts.grow_to(shift, last_sign)
        return shift

    def until(self, at: float) -> Iterator[Fact]:
        """What happened before and was not told yet: what a record of the same moment led to comes behind it."""
        while self._read_to < at + AHEAD and (frame := self._next()) is not None:
            self._take(frame)
        while self._heap and self._heap[0][0] < at:
            yield heapq.heappop(self._heap)[2]

    def rest(self) -> Iterator[Fact]:
        self._run = float("inf")
        while (frame := self._next()) is not None:
            self._take(frame)
            yield from self.until(self._read_to - AHEAD)
        yield from self.until(float("inf"))

    def _next(self) -> Frame | None:
        """None where the log ends, or where a later run starts."""
        frame = self._held or next(self._frames, None)
        self._held = None
        if frame is not None and (started := _run_started(frame)) is not None and started.attempts > self._run:
            self._held = frame
            return None
        return frame

    def _look_at_the_clock(self, frame: Frame) -> None:
        """A frame is never older than one before it, nor a run than the last record of the run before it. Frames
        between two runs have orders: they, too, come after all that was there before."""
        started = _run_started(frame)
        if started is not None:
            self._is_numbered = started.attempts > 0
        if frame.events and self._is_numbered:
            self.shifts.grow_to(self._read_to - (frame if started is None else started).at, self._read_to)
        if started is not None:
            self.steps += self.shifts.last > self._shift_of_run
            self._shift_of_run = self.shifts.last

    def _take(self, frame: Frame) -> None:
        self._look_at_the_clock(frame)
        frame = shift_frame(frame, self.shifts.last)
        self._gaps.hear(frame)
        self._read_to = max(self._read_to, frame.at)
        for event in frame.events:
            self._seen(event, frame.at)
            match event:
                case HostState() | RunStarted() | RobotsCopy():
                    self._put(event.at, event)
                case RobotsHop():
                    self._put(event.at + NAMED_AFTER, event)
                case Failed():
                    ending = Ending(event.key, event.url, event.host, None, event.at, None)
                    self._put(event.at + NAMED_AFTER, ending)
                case Finished(started_at=float() as started_at):
                    ended_at = event.fetched_at or frame.at
                    ending = Ending(event.key, event.url, event.host, started_at, ended_at, event.status)
                    self._put(ended_at + NAMED_AFTER, ending)

    def _put(self, at: float, fact: Fact) -> None:
        self._count += 1
        heapq.heappush(self._heap, (at, self._count, fact))


def _run_started(frame: Frame) -> RunStarted | None:
    return next((event for event in frame.events if isinstance(event, RunStarted)), None)
