"""Log, in several partitions that one process writes: one log for each.

Every frame has a stamp: its number among the frames of all partitions. Each frame is durable before the next one is
written, so stamps have no gaps, and `read` returns the frames of all partitions in the order in which they were
written. A crash loses at most the newest frame.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Protocol

from msgspec.structs import replace

from hondius.model import NO_EPOCH, AnyEvent, Epoch, Frame
from hondius.ports import Log
from hondius.position import START, Position


class PartitionLog(Log, Protocol):
    """The log of one partition."""

    def append(
        self, events: Sequence[AnyEvent], at: float, partition: int = 0, *, epoch: Epoch = NO_EPOCH
    ) -> Frame: ...


class PartitionedLog:
    def __init__(self, logs: Sequence[PartitionLog]) -> None:
        """`logs` in the order of their partitions."""
        self._logs = logs
        self._stamp, self._identity = 0, 0
        self._find_end()

    @property
    def place(self) -> str:
        return self._logs[0].place

    @property
    def partitions(self) -> int:
        return len(self._logs)

    @property
    def end(self) -> Position:
        return Position.of(log.end.frames for log in self._logs)

    @property
    def identity(self) -> int:
        """The identity of the log with the first frame of all."""
        return self._identity

    def append(self, events: Sequence[AnyEvent], at: float, partition: int = 0) -> Frame:
        log = self._logs[partition]
        frame = log.append(events, at, epoch=(self._stamp + 1, 0))
        self._stamp += 1
        self._identity = self._identity or log.identity
        return self._stamp_frame(frame, partition)

    def refresh(self) -> None:
        for log in self._logs:
            log.refresh()
        self._find_end()

    def read(self, after: Position = START) -> Iterator[Frame]:
        """Reopens the reader of a partition when it is exhausted: frames may have been appended meanwhile."""
        behind = [after.of_partition(partition) for partition in range(len(self._logs))]
        readers: list[Iterator[Frame]] = [iter(()) for _ in self._logs]
        heads: list[Frame | None] = [None] * len(self._logs)
        while True:
            for partition, log in enumerate(self._logs):
                if heads[partition] is None and behind[partition] < log.end.frames:
                    head = next(readers[partition], None)
                    if head is None:
                        readers[partition] = log.read(Position((behind[partition],)))
                        head = next(readers[partition])
                    heads[partition] = self._stamp_frame(head, partition)
            following = min((head for head in heads if head is not None), key=_by_stamp, default=None)
            if following is None:
                return
            behind[following.partition] = following.sequence
            heads[following.partition] = None
            yield following

    def newest(self, most: int) -> Iterator[Frame]:
        oldest = self._stamp - most
        frames = (
            self._stamp_frame(frame, partition)
            for partition, log in enumerate(self._logs)
            for frame in log.newest(most)
        )
        return iter(sorted((frame for frame in frames if frame.stamp > oldest), key=_by_stamp))

    def frame(self, number: int) -> Frame | None:
        for partition, log in enumerate(self._logs):
            sequences = range(1, log.end.frames + 1)
            index = bisect_left(sequences, number, key=lambda sequence, log=log: _stamp(log.frame(sequence)))  # type: ignore[misc]
            found = log.frame(index + 1)
            if found is not None and _stamp(found) == number:
                return self._stamp_frame(found, partition)
        return None

    def close(self) -> None:
        for log in self._logs:
            log.close()

    def _find_end(self) -> None:
        self._stamp = max(_stamp(next(log.newest(1), None)) for log in self._logs)
        firsts = ((log, log.frame(1)) for log in self._logs)
        self._identity = self._identity or next((log.identity for log, first in firsts if _stamp(first) == 1), 0)

    def _stamp_frame(self, frame: Frame, partition: int) -> Frame:
        return replace(frame, log=self._identity, epoch=NO_EPOCH, partition=partition, stamp=_stamp(frame))


def _stamp(frame: Frame | None) -> int:
    return 0 if frame is None else frame.epoch[0]


def _by_stamp(frame: Frame) -> int:
    return frame.stamp
