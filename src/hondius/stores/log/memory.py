"""Log, in memory: a list of frames."""

from collections.abc import Iterator, Sequence

from hondius.errors import HondiusError
from hondius.model import NO_EPOCH, AnyEvent, Epoch, Frame
from hondius.position import START, Position
from hondius.stores.log import frames
from hondius.stores.log.partitions import refuse_partition


class MemoryLog:
    """All objects with the same list share its frames."""

    def __init__(self, kept: list[Frame], place: str = "in memory", *, read_only: bool = False) -> None:
        self._kept = kept
        self._place = place
        self._unusable = "it was opened for reading" if read_only else ""

    @property
    def place(self) -> str:
        return self._place

    @property
    def end(self) -> Position:
        return Position((len(self._kept),))

    @property
    def identity(self) -> int:
        return self._kept[0].log if self._kept else 0

    @property
    def partitions(self) -> int:
        return 1

    def append(self, events: Sequence[AnyEvent], at: float, partition: int = 0, *, epoch: Epoch = NO_EPOCH) -> Frame:
        refuse_partition(partition)
        if self._unusable:
            raise HondiusError(f"the log takes no more frames: {self._unusable}")
        sequence = len(self._kept) + 1
        identity = self.identity or frames.compute_identity(frames.encode(sequence, at, events, epoch))
        self._kept.append(Frame(sequence, at, tuple(events), identity, epoch))
        return self._kept[-1]

    def refresh(self) -> None:
        """Frames are shared: there is nothing to do."""

    def read(self, after: Position = START) -> Iterator[Frame]:
        """Includes frames that are appended meanwhile."""
        return self._read(after.frames)

    def newest(self, most: int) -> Iterator[Frame]:
        return self._read(max(0, len(self._kept) - most))

    def frame(self, number: int) -> Frame | None:
        return self._kept[number - 1] if 0 < number <= len(self._kept) else None

    def close(self) -> None:
        self._unusable = "it is closed"

    def _read(self, after: int) -> Iterator[Frame]:
        while after < len(self._kept):
            yield self._kept[after]
            after += 1
