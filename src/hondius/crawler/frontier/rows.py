"""Sixteen rows of origins; the choice is biased by priority and starves no row (F1)."""

import heapq
from collections import deque

CLASSES = 16


class Rows:
    """Stride scheduling: a row is served in proportion to its weight (16 for the best, 1 for the last)."""

    def __init__(self) -> None:
        self._rows: list[deque[int]] = [deque() for _ in range(CLASSES)]
        self._passes = [0.0] * CLASSES
        self._filled: list[tuple[float, int]] = []
        """A heap of (pass, row): the rows that are not empty."""
        self._now = 0.0
        self._length = 0
        self.last = 0
        """The row that the last origin came from."""

    def __len__(self) -> int:
        return self._length

    def add(self, row: int, origin: int) -> None:
        queue = self._rows[row]
        if not queue:
            # A row that was empty does not get the turns it could not use.
            self._passes[row] = max(self._passes[row], self._now)
            heapq.heappush(self._filled, (self._passes[row], row))
        queue.append(origin)
        self._length += 1

    def pop(self) -> int | None:
        if not self._filled:
            return None
        self._now, row = self._filled[0]
        origin = self._rows[row].popleft()
        self._passes[row] = self._now + 1.0 / (CLASSES - row)
        if self._rows[row]:
            heapq.heapreplace(self._filled, (self._passes[row], row))
        else:
            heapq.heappop(self._filled)
        self._length -= 1
        self.last = row
        return origin
