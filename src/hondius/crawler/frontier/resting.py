"""Origins that wait longer than a minute. There may be a million, so none of them is an object."""

from array import array
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import chain, islice

FARTHEST = 2.0**52
"""Later times, also infinity, share one second."""


class Resting:
    """By origin: its time and its row, nine bytes in a table. By time: the numbers of the origins, four bytes each, one
    array per second. Within a second, origins are ordered only when the second comes."""

    __slots__ = ("_firsts", "_near", "_order", "_rows", "_seconds", "_until", "count")

    def __init__(self) -> None:
        self._until = array("d")
        """By number; 0 for origins that do not rest."""
        self._rows = bytearray()
        self._seconds: dict[int, array[int]] = {}
        self._firsts: dict[int, float] = {}
        """No time of this second is earlier."""
        self._order: list[int] = []
        """A heap of the seconds."""
        self._near: list[tuple[float, int]] = []
        """A heap of the origins whose second has come."""
        self.count = 0

    def __len__(self) -> int:
        return self.count

    def __contains__(self, number: int) -> bool:
        return number < len(self._until) and self._until[number] > 0

    def __iter__(self) -> Iterator[tuple[float, int]]:
        """(until when, number); those of the next second first."""
        numbers = chain.from_iterable(self._seconds[second] for second in self._order)
        return chain(self._near, ((self._until[number], number) for number in numbers))

    def add(self, number: int, until: float, row: int) -> None:
        """The origin must not rest yet."""
        if (more := number + 1 - len(self._rows)) > 0:
            self._rows.extend(bytes(more))
            self._until.frombytes(bytes(more * self._until.itemsize))
        self._until[number] = until
        self._rows[number] = row
        self.count += 1
        second = _find_second(until)
        if second not in self._seconds:
            self._seconds[second] = array("I")
            self._firsts[second] = until
            heappush(self._order, second)
        self._seconds[second].append(number)
        self._firsts[second] = min(until, self._firsts[second])

    def wake_due(self, now: float) -> Iterator[tuple[int, int]]:
        """Removes the origins that are due, and yields (row, number)."""
        while self._order and self._order[0] <= now:
            second = heappop(self._order)
            del self._firsts[second]
            self._near += [(self._until[number], number) for number in self._seconds.pop(second)]
            heapify(self._near)
        while self._near and self._near[0][0] <= now:
            _, number = heappop(self._near)
            yield self._forget(number), number

    def wake(self, number: int) -> int:
        """Removes an origin before it is due. Returns its row."""
        until = self._until[number]
        numbers = self._seconds.get(_find_second(until))
        if numbers is not None and number in numbers:
            numbers.remove(number)
        else:
            self._near.remove((until, number))
            heapify(self._near)
        return self._forget(number)

    def find_next_time(self) -> float | None:
        """No origin is due earlier. None if none rests."""
        times = [self._near[0][0]] if self._near else []
        while self._order and not self._seconds[self._order[0]]:
            second = heappop(self._order)
            del self._seconds[second], self._firsts[second]
        if self._order:
            times.append(self._firsts[self._order[0]])
        return min(times, default=None)

    def list_some(self, most: int) -> list[tuple[float, int]]:
        return list(islice(self, most))

    def _forget(self, number: int) -> int:
        self._until[number] = 0.0
        self.count -= 1
        return self._rows[number]


class Shelved:
    """Origins whose host has reached a limit, by limit: one byte each."""

    __slots__ = ("_codes", "_counts", "_limits")

    def __init__(self) -> None:
        self._codes = bytearray()
        self._limits = [""]
        self._counts = [0]

    def add(self, number: int, limit: str) -> None:
        if (more := number + 1 - len(self._codes)) > 0:
            self._codes.extend(bytes(more))
        if limit not in self._limits:
            self._limits.append(limit)
            self._counts.append(0)
        self._counts[self._codes[number]] -= 1
        self._codes[number] = self._limits.index(limit)
        self._counts[self._codes[number]] += 1

    def counts(self) -> dict[str, int]:
        """Origins by the limit that their host has reached."""
        return {limit: count for limit, count in zip(self._limits, self._counts, strict=True) if limit and count}


def _find_second(until: float) -> int:
    return int(min(until, FARTHEST))
