"""Ticks of a time axis: round times, and how they are written."""

from collections.abc import Iterator
from datetime import UTC, datetime
from math import ceil

STEPS = (1, 5, 15, 60, 300, 900, 3_600, 10_800, 43_200, 86_400, 604_800, 2_592_000)


def choose_ticks(first: float, last: float, most: int = 8) -> Iterator[float]:
    span = last - first
    step = next((step for step in STEPS if span / step <= most), max(1, ceil(span / most)))
    at = ceil(first / step) * step
    while at <= last:
        yield at
        at += step


def format_tick(at: float, span: float) -> str:
    """`span`: seconds of the whole axis."""
    pattern = "%H:%M:%S" if span < 600 else "%H:%M" if span < 86_400 else "%d %b %H:%M" if span < 864_000 else "%d %b"
    return datetime.fromtimestamp(at, UTC).strftime(pattern)
