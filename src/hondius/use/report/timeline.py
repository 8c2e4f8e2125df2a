"""Pages and bytes over time, in constant memory: if the span grows, the buckets do."""

from hondius.use.report.facts import Bucket, Timeline

MOST_BUCKETS = 120
WIDTHS = (1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400)
"""Seconds. Above a day, a width is doubled."""


class TimelineCounter:
    def __init__(self) -> None:
        self._width = WIDTHS[0]
        self._buckets: dict[int, list[int]] = {}
        """Pages and bytes by number: the time divided by the width."""
        self._first = self._last = 0

    def add(self, at: float, wire_bytes: int) -> None:
        number = int(at // self._width)
        bucket = self._buckets.get(number)
        if bucket is None:
            self._extend(number)
            number = int(at // self._width)
            bucket = self._buckets.setdefault(number, [0, 0])
        bucket[0] += 1
        bucket[1] += wire_bytes

    def make_timeline(self) -> Timeline:
        found = sorted(self._buckets.items())
        return Timeline(self._width, [Bucket(number * self._width, *counts) for number, counts in found])

    def _extend(self, number: int) -> None:
        is_first = not self._buckets
        self._first = number if is_first else min(self._first, number)
        self._last = number if is_first else max(self._last, number)
        while self._last - self._first >= MOST_BUCKETS:
            self._widen()

    def _widen(self) -> None:
        before, self._width = self._width, find_next_width(self._width)
        merged: dict[int, list[int]] = {}
        for number, (pages, wire_bytes) in self._buckets.items():
            into = merged.setdefault(number * before // self._width, [0, 0])
            into[0] += pages
            into[1] += wire_bytes
        self._buckets = merged
        self._first, self._last = self._first * before // self._width, self._last * before // self._width


def find_next_width(width: int) -> int:
    """Each width is a multiple of the one before it, so that a bucket never has to be split."""
    return next((wider for wider in WIDTHS if wider > width and wider % width == 0), width * 2)
