"""What the figures must be, and whether they are."""

from collections.abc import Iterator
from typing import Any

from benchmarks.verdict import Verdict

Row = dict[str, Any]
"""The figures of one milestone, as `grow` and `start` print them."""
GIB = 2**30
MILLION = 1_000_000


USUAL = 50 * MILLION
"""Up to so many URLs, the bars are absolute. Beyond, what counts is memory, and how costs grow from there on."""


def verdicts(rows: list[Row]) -> Iterator[Verdict]:
    """The largest milestone by itself, and against a smaller one where there are both."""
    return _usual(rows) if rows[-1]["urls"] <= USUAL else _large(rows)


def _large(rows: list[Row]) -> Iterator[Verdict]:
    largest = rows[-1]
    size = f"{largest['urls'] // MILLION} million"
    yield Verdict("peak resident", max(row["peak_resident"] for row in rows) / GIB, 4, "GiB")
    yield Verdict("Bloom false positives", largest["bloom_rate"] * 100, 2, "%")
    reference = next((row for row in rows if row["urls"] == USUAL), None)
    if reference is not None:
        yield Verdict(f"take at {size} / at 50 million", largest["take"] / reference["take"], 1.5, "×")


def _usual(rows: list[Row]) -> Iterator[Verdict]:
    largest = rows[-1]
    size = f"{largest['urls'] // MILLION} million"
    yield Verdict(f"add at {size}", largest["add"], 8, "µs")
    yield Verdict(f"take at {size}", largest["take"], 20, "µs")
    yield Verdict("peak resident", max(row["peak_resident"] for row in rows) / GIB, 2, "GiB")
    yield Verdict(f"start at {size}", largest["start"]["seconds"], 10, "s")
    yield Verdict(f"start after kill -9 at {size}", largest["start_after_kill"]["seconds"], 10, "s")
    yield Verdict("Bloom false positives", largest["bloom_rate"] * 100, 2, "%")
    reference = next((row for row in rows if row["urls"] == 5 * MILLION), None)
    if reference is not None and reference is not largest:
        for name in ("add", "take"):
            yield Verdict(f"{name} at {size} / at 5 million", largest[name] / reference[name], 2, "×")
