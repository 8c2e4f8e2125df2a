"""How far a view has applied the log: one sequence number for each partition.

The log of an embedded crawl usually has one partition. Only logs and views look inside a position; other code compares
positions and passes them on.
"""

from collections.abc import Iterable

import msgspec


class Position(msgspec.Struct, frozen=True):
    """The position after a frame of each partition; 0 is before the first. Partitions that are not listed are at 0."""

    sequences: tuple[int, ...] = ()

    @classmethod
    def of(cls, sequences: Iterable[int]) -> "Position":
        """Drops zeros at the end, so that equal positions are equal tuples."""
        known = list(sequences)
        while len(known) > 1 and not known[-1]:
            known.pop()
        return cls(tuple(known))

    def of_partition(self, partition: int) -> int:
        return self.sequences[partition] if partition < len(self.sequences) else 0

    def covers(self, other: "Position") -> bool:
        """Whether everything before the other position is also before this one."""
        return self.sequences == other.sequences or not self.frames_behind(other)

    def frames_behind(self, other: "Position") -> int:
        """How many frames before the other position are not before this one."""
        return sum(max(0, there - here) for here, there in self._pairs(other))

    def common(self, other: "Position") -> "Position":
        """The last position that both cover."""
        return Position(tuple(min(pair) for pair in self._pairs(other)))

    def join(self, other: "Position") -> "Position":
        """The first position that covers both."""
        return Position(tuple(max(pair) for pair in self._pairs(other)))

    @property
    def frames(self) -> int:
        """How many frames are before it."""
        return sum(self.sequences)

    def _pairs(self, other: "Position") -> list[tuple[int, int]]:
        length = max(len(self.sequences), len(other.sequences))
        return list(zip(_pad(self.sequences, length), _pad(other.sequences, length), strict=True))


def _pad(sequences: tuple[int, ...], length: int) -> tuple[int, ...]:
    return sequences + (0,) * (length - len(sequences))


START = Position()
"""Before the first frame."""


class Cursor(msgspec.Struct, frozen=True):
    """How far a named consumer has read the log: everything before `position`, and the first `events` events of one
    more frame."""

    log: int
    """The identity of the log that it reads."""
    position: Position = START
    frame: Position | None = None
    """The position of the frame that it has read in part."""
    events: int = 0
