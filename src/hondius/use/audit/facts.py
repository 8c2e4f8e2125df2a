"""What the log tells, in order of time.

A frame is written a moment after what it tells of, so the log is read a little ahead of the records; what it tells
waits in a heap until its time has come. Orders and robots copies do not wait: they are asked for by their time.
"""

import heapq
from collections.abc import Callable, Iterator

from hondius.model import (
    AnyEvent,
    Failed,
    Finished,
    Frame,
    HostState,
    RobotsCopy,
    RunStarted,
)
from hondius.ports import Log

AHEAD = 15.0
"""Seconds of the log in memory. What is committed later than this after it happened counts from its commit."""
NAMED_AFTER = 0.5
"""Seconds that a name waits behind its answer: records of one moment may stand in any order."""

Fact = HostState | RunStarted | Finished | Failed | RobotsCopy


class Facts:
    def __init__(self, log: Log, seen: Callable[[AnyEvent, float], None]) -> None:
        """`seen` hears of every event at once, with the time of its commit."""
        self._frames = log.read()
        self._seen = seen
        self._heap: list[tuple[float, int, Fact]] = []
        self._count = 0
        self._read_to = float("-inf")

    def until(self, at: float) -> Iterator[Fact]:
        """What happened before and was not told yet: what a record of the same moment led to comes behind it."""
        while self._read_to < at + AHEAD and (frame := next(self._frames, None)) is not None:
            self._take(frame)
        while self._heap and self._heap[0][0] < at:
            yield heapq.heappop(self._heap)[2]

    def rest(self) -> Iterator[Fact]:
        for frame in self._frames:
            self._take(frame)
            yield from self.until(frame.at - AHEAD)
        yield from self.until(float("inf"))

    def _take(self, frame: Frame) -> None:
        self._read_to = max(self._read_to, frame.at)
        for event in frame.events:
            self._seen(event, frame.at)
            match event:
                case HostState() | RunStarted() | RobotsCopy():
                    self._put(event.at, event)
                case Failed():
                    self._put(event.at + NAMED_AFTER, event)
                case Finished(started_at=float()):
                    self._put((event.fetched_at or frame.at) + NAMED_AFTER, event)

    def _put(self, at: float, fact: Fact) -> None:
        self._count += 1
        heapq.heappush(self._heap, (at, self._count, fact))
