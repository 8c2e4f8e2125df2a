"""Reads the events of the log in order of time.

A frame is written a moment after its events, so the log is read slightly ahead of the attempt records, and events wait
in a heap until their time. Orders and robots.txt copies do not wait: they are looked up by time.

The log is not read past the start of a run before the attempt records of that run begin. Only then is the last activity
of the previous run known, and whether the clock was set back between the two (`shifts.py`).
"""

import heapq
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hondius.errors import BadDirectory
from hondius.hints import suggest_salvage
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
from hondius.plausible import has_plausible_values
from hondius.ports import Log
from hondius.use.audit.gaps import Gaps
from hondius.use.audit.shifts import Shifts, shift_frame

AHEAD = 5.0
"""Seconds of the log in memory. An event committed later than this after it happened counts from its commit."""
MAX_BETWEEN_RUNS = 1_000
"""Frames between two runs, each with an order. If there are more, the frame with the start of the run was lost."""
NAMED_AFTER = 0.5
"""Seconds between an answer and its URL: records of the same moment may be in any order."""


class Ending(NamedTuple):
    """The fields of `Finished` or `Failed` that an audit needs. Thousands of these are in memory."""

    key: bytes
    url: str
    host: str
    started_at: float | None
    """None for `Failed`, which refers to the last request before it."""
    ended_at: float
    status: int | None


Fact = HostState | RunStarted | Ending | RobotsCopy | RobotsHop


class Facts:
    def __init__(self, log: Log, on_event: Callable[[AnyEvent, float], None], gaps: Gaps, shifts: Shifts) -> None:
        """`on_event` is called with every event as soon as it is read, and the time of its commit; `gaps` gets every
        frame."""
        self._gaps = gaps
        self._frames = _read_plausible(log)
        self._on_event = on_event
        self._heap: list[tuple[float, int, Fact]] = []
        self._count = 0
        self._read_to = float("-inf")
        self._held: Frame | None = None
        self._run = 0.0
        """The number of the file whose records are being read."""
        self._is_numbered = True
        """Whether the last run in the log named its file; runs of older versions do not."""
        self.shifts = shifts
        self._shift_of_run = 0.0
        self.steps = 0
        """How often the clock was set back."""
        self.imported = 0
        """Answers that come from archives of others: nothing was sent for them."""

    def enter_run(self, run: int, first_sign: float, last_sign: float) -> float:
        """Starts the records of another run, and returns the shift of its times. `first_sign` is the time of its first
        record, `last_sign` that of the last record of the previous run."""
        self._run = run
        self._read_to = max(self._read_to, last_sign)
        if self._held is None and not self._is_numbered:
            return self.shifts.last
        since_a_start = 0
        while since_a_start < MAX_BETWEEN_RUNS and (frame := self._read_frame()) is not None:
            self._process_frame(frame)
            since_a_start += 1
            if (started := _find_run_started(frame)) is not None:
                if not 0 < started.attempts < run:
                    return self.shifts.last
                since_a_start = 0  # a run that sent nothing
        # The run was killed before its first frame, or that frame was lost.
        shift = max(self._shift_of_run, last_sign - first_sign)
        self.shifts.grow_to(shift, last_sign)
        return shift

    def read_until(self, at: float) -> Iterator[Fact]:
        """Yields facts from before `at`. Facts at the time of a record follow that record."""
        while self._read_to < at + AHEAD and (frame := self._read_frame()) is not None:
            self._process_frame(frame)
        while self._heap and self._heap[0][0] < at:
            yield heapq.heappop(self._heap)[2]

    def read_rest(self) -> Iterator[Fact]:
        self._run = float("inf")
        while (frame := self._read_frame()) is not None:
            self._process_frame(frame)
            yield from self.read_until(self._read_to - AHEAD)
        yield from self.read_until(float("inf"))

    def _read_frame(self) -> Frame | None:
        """None at the end of the log, or at the start of a later run."""
        frame = self._held or next(self._frames, None)
        self._held = None
        if frame is not None and (started := _find_run_started(frame)) is not None and started.attempts > self._run:
            self._held = frame
            return None
        return frame

    def _detect_clock_change(self, frame: Frame) -> None:
        """A frame is never older than the one before it, nor a run than the last record of the previous run. This also
        holds for frames between two runs, which have orders."""
        started = _find_run_started(frame)
        if started is not None:
            self._is_numbered = started.attempts > 0
        if frame.events and self._is_numbered:
            self.shifts.grow_to(self._read_to - (frame if started is None else started).at, self._read_to)
        if started is not None:
            self.steps += self.shifts.last > self._shift_of_run
            self._shift_of_run = self.shifts.last

    def _process_frame(self, frame: Frame) -> None:
        self._detect_clock_change(frame)
        frame = shift_frame(frame, self.shifts.last)
        self._gaps.observe(frame)
        self._read_to = max(self._read_to, frame.at)
        for event in frame.events:
            self._on_event(event, frame.at)
            match event:
                case HostState() | RunStarted() | RobotsCopy():
                    self._schedule(event.at, event)
                case RobotsHop():
                    self._schedule(event.at + NAMED_AFTER, event)
                case Failed():
                    ending = Ending(event.key, event.url, event.host, None, event.at, None)
                    self._schedule(event.at + NAMED_AFTER, ending)
                case Finished(imported=str()):
                    self.imported += 1
                case Finished(started_at=float() as started_at):
                    ended_at = event.fetched_at or frame.at
                    ending = Ending(event.key, event.url, event.host, started_at, ended_at, event.status)
                    self._schedule(ended_at + NAMED_AFTER, ending)

    def _schedule(self, at: float, fact: Fact) -> None:
        self._count += 1
        heapq.heappush(self._heap, (at, self._count, fact))


def _read_plausible(log: Log) -> Iterator[Frame]:
    """The frames of the log. Raises BadDirectory at one that Hondius cannot have written: what follows cannot be
    judged without it."""
    for frame in log.read():
        if not has_plausible_values(frame):
            raise BadDirectory(
                f"frame {frame.sequence} of the log has values that Hondius cannot have written; "
                f"{suggest_salvage(log.place)}"
            )
        yield frame


def _find_run_started(frame: Frame) -> RunStarted | None:
    return next((event for event in frame.events if isinstance(event, RunStarted)), None)
