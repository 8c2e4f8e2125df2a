"""Sixteen rows of origins; the choice is biased by priority and starves no row (F1)."""

from collections import deque

CLASSES = 16


class Rows:
    """Stride scheduling: a row is served in proportion to its weight (16 for the best, 1 for the last)."""

    def __init__(self) -> None:
        self._rows: list[deque[int]] = [deque() for _ in range(CLASSES)]
        self._passes = [0.0] * CLASSES
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
        queue.append(origin)
        self._length += 1

    def pop(self) -> int | None:
        if not self._length:
            return None
        row = min((r for r in range(CLASSES) if self._rows[r]), key=self._passes.__getitem__)
        self._now = self._passes[row]
        self._passes[row] += 1.0 / (CLASSES - row)
        self._length -= 1
        self.last = row
        return self._rows[row].popleft()
