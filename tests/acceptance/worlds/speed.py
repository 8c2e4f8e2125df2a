"""CPU and memory of a page with links kept, and what the frontier costs as it grows, against the earlier build."""

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.acceptance.earlier_build import make_earlier_build
from tests.acceptance.earlier_build.build import ROOT
from tests.acceptance.figure import Figure
from tests.acceptance.unshakable.speed import against_earlier_build

MOST_CPU, MOST_MEMORY, MOST_GROWTH = 1.08, 1.10, 1.05
PAIRS = 3
URLS, HOSTS = 5_000_000, 1_000_000


def figures() -> Iterator[Figure]:
    yield from against_earlier_build(MOST_CPU, MOST_MEMORY)
    yield from _growth()


def _growth() -> Iterator[Figure]:
    """Interleaved, by CPU time."""
    earlier = make_earlier_build()
    ratios: dict[str, list[float]] = {"add": [], "take": []}
    for pair in range(PAIRS):
        before = _grow(earlier.python, earlier.sources)
        today = _grow(Path(sys.executable), ROOT)
        for name, values in ratios.items():
            values.append(today[name] / before[name])
        shown = ", ".join(f"{name} {before[name]:.2f} → {today[name]:.2f} µs" for name in ratios)
        print(f"       growth, pair {pair + 1}: {shown}", flush=True)
    for name, values in ratios.items():
        ratio = statistics.median(values)
        yield Figure(
            f"CPU of {name} at {URLS // 1_000_000} million URLs / earlier build, median of {PAIRS} pairs",
            ratio <= MOST_GROWTH,
            f"{ratio:.3f}",
            f"at most {MOST_GROWTH}",
        )


def _grow(python: Path, place: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="hondius-growth-") as name:
        command = [str(python), "-m", "benchmarks.growth.grow", name, "0", str(URLS), str(HOSTS)]
        ended = subprocess.run(command, cwd=place, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(ended.stdout)
    return figures
