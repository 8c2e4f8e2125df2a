"""What is not used costs nothing: a crawl without exports and hooks, and a start of the command."""

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.acceptance import commands
from tests.acceptance.earlier_build import make_earlier_build
from tests.acceptance.figure import Figure
from tests.acceptance.unshakable.speed import against_earlier_build

MOST_CPU, MOST_MEMORY, MOST_START = 1.10, 1.10, 1.10
STARTS = 15
"""Pairs of starts: one takes a fifth of a second, and this machine is noisy."""


def figures() -> Iterator[Figure]:
    yield from against_earlier_build(MOST_CPU, MOST_MEMORY)
    yield _start()


def _start() -> Figure:
    """`hondius status` of the same small crawl, which the earlier build made: CPU time, interleaved."""
    earlier = make_earlier_build()
    command = (str(earlier.python), "-m", "hondius")
    with tempfile.TemporaryDirectory(prefix="hondius-start-") as name:
        old, new = Path(name) / "old", Path(name) / "new"
        for crawl, build in ((old, command), (new, commands.HONDIUS)):
            commands.run(
                "crawl", "http://nobody.test/", "--resolve", "*.test=127.0.0.1:9", "--into", crawl, command=build
            )
        ratios = []
        for _ in range(STARTS):
            before = commands.run("status", old, command=command)
            today = commands.run("status", new)
            if before.status or today.status:
                return Figure("start of `hondius status`", False, (before.errors + today.errors)[-300:])
            ratios.append(today.cpu_seconds / before.cpu_seconds)
    ratio = statistics.median(ratios)
    name = f"CPU of `hondius status` / earlier build, median of {STARTS} pairs"
    return Figure(name, ratio <= MOST_START, f"{ratio:.3f}", f"at most {MOST_START}")
