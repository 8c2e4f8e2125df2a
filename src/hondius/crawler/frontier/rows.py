"""Sixteen rows of origins. The choice favours high priority but starves no row (F1)."""

from array import array
from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush, heapreplace
from typing import Generic, Protocol, TypeVar

CLASSES = 16
STRIDES = tuple(1.0 / (CLASSES - row) for row in range(CLASSES))

Origin = TypeVar("Origin")
"""Whatever identifies an origin in these rows."""


class Row(Protocol[Origin]):
    def __len__(self) -> int: ...
    def append(self, origin: Origin, /) -> None: ...
    def popleft(self) -> Origin: ...


class Numbers:
    """A queue of numbers below 2^32, 4 bytes each: a million origins may sleep."""

    __slots__ = ("_blocks", "_last", "_next")
    BLOCK = 4_096

    def __init__(self) -> None:
        self._next: list[int] = []
        """The first ones, in reverse order. Empty only if the queue is."""
        self._blocks: deque[array[int]] = deque()
        """Full blocks."""
        self._last: array[int] = array("I")

    def __len__(self) -> int:
        return len(self._next) + len(self._blocks) * self.BLOCK + len(self._last)

    def __bool__(self) -> bool:
        return bool(self._next)

    def append(self, number: int, /) -> None:
        if not self._next:
            self._next.append(number)
            return
        last = self._last
        last.append(number)
        if len(last) == self.BLOCK:
            self._blocks.append(last)
            self._last = array("I")

    def popleft(self) -> int:
        number = self._next.pop()
        if not self._next:
            if self._blocks:
                self._next = self._blocks.popleft().tolist()
            else:
                self._next, self._last = self._last.tolist(), array("I")
            self._next.reverse()
        return number


class Rows(Generic[Origin]):
    """Stride scheduling: a row is served in proportion to its weight (16 for the best, 1 for the last)."""

    __slots__ = ("_now", "_passes", "_rows", "filled", "last")

    def __init__(self, make_row: Callable[[], Row[Origin]] = deque) -> None:
        self._rows: tuple[Row[Origin], ...] = tuple(make_row() for _ in range(CLASSES))
        self._passes = [0.0] * CLASSES
        self.filled: list[tuple[float, int]] = []
        """A heap of (pass, row): the rows that are not empty. To ask it costs less than to call `bool`."""
        self._now = 0.0
        self.last = 0
        """The row of the origin that was popped last."""

    def __len__(self) -> int:
        return sum(map(len, self._rows))

    def __bool__(self) -> bool:
        return bool(self.filled)

    def add(self, row: int, origin: Origin) -> None:
        queue = self._rows[row]
        if not queue:
            # A row does not get the turns that it missed while it was empty.
            self._passes[row] = max(self._passes[row], self._now)
            heappush(self.filled, (self._passes[row], row))
        queue.append(origin)

    def pop(self) -> Origin | None:
        filled = self.filled
        if not filled:
            return None
        self._now, row = filled[0]
        queue = self._rows[row]
        origin = queue.popleft()
        self._passes[row] = following = self._now + STRIDES[row]
        if queue:
            heapreplace(filled, (following, row))
        else:
            heappop(filled)
        self.last = row
        return origin
