"""What the log tells, in order of time.

A frame is written a moment after what it tells of, so the log is read a little ahead of the records; what it tells
waits in a heap until its time has come. Orders and robots copies do not wait: they are asked for by their time.
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
    RunStarted,
)
from hondius.ports import Log
from hondius.use.audit.gaps import Gaps

AHEAD = 5.0
"""Seconds of the log in memory. What is committed later than this after it happened counts from its commit."""
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


Fact = HostState | RunStarted | Ending | RobotsCopy


class Facts:
    def __init__(self, log: Log, seen: Callable[[AnyEvent, float], None], gaps: Gaps) -> None:
        """`seen` hears of every event at once, with the time of its commit; `gaps` of every frame."""
        self._gaps = gaps
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
        self._gaps.hear(frame)
        self._read_to = max(self._read_to, frame.at)
        for event in frame.events:
            self._seen(event, frame.at)
            match event:
                case HostState() | RunStarted() | RobotsCopy():
                    self._put(event.at, event)
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
