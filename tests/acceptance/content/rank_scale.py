"""Ranks of synthetic edges: small ones to be compared, many to be measured in a process of their own.

`RANK_SCALE=0.1 make accept ONLY=content PART=rank` measures a tenth of them.
"""

import hashlib
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hondius.native import EdgeLog

NODES, EDGES = 20_000_000, 100_000_000
LINKS = 50
"""Of a page; four of five pages are only named."""
MEMORY = 512 * 2**20
BATCH = 20_000
"""Pages that are added at once."""
EXPONENT = 2.0
"""Most links lead to few pages."""


@dataclass(frozen=True)
class Measured:
    nodes: int
    edges: int
    iterations: int
    seconds: float
    bytes: int


def make_key(node: int) -> bytes:
    return hashlib.blake2b(node.to_bytes(8, "little"), digest_size=16).digest()


def rank_small(scratch: Path, edges: Sequence[tuple[int, int]]) -> dict[int, float]:
    log = EdgeLog(str(scratch))
    log.add_edges(b"".join(make_key(source) + make_key(target) for source, target in edges))
    ranks = log.compute(memory=2**22, tolerance=1e-12)
    found = {}
    for node in {node for edge in edges for node in edge}:
        ranked = ranks.page(make_key(node))
        assert ranked is not None
        found[node] = ranked[0]
    return found


def measure(scratch: Path) -> Measured:
    """The peak memory of the process includes what makes the edges."""
    scale = float(os.environ.get("RANK_SCALE", "1"))
    arguments = [str(round(NODES * scale)), str(round(EDGES * scale)), str(scratch)]
    ended = subprocess.run([sys.executable, "-m", __name__, *arguments], stdout=subprocess.PIPE, check=True)
    return Measured(**json.loads(ended.stdout))


def _make_edges(nodes: int, edges: int) -> Iterator[bytes]:
    """Pairs of keys, some pages at a time. A file of them would take 3.2 GB."""
    import numpy

    chance = numpy.random.default_rng(random.Random(7).randrange(2**32))
    sources = edges // LINKS
    for first in range(0, sources, BATCH):
        count = min(BATCH, sources - first)
        # Sources are spread over all nodes.
        source = numpy.repeat(numpy.arange(first, first + count, dtype=numpy.uint64) * (nodes // sources), LINKS)
        target = (nodes * chance.random(count * LINKS) ** EXPONENT).astype(numpy.uint64)
        pairs = numpy.empty((count * LINKS, 4), dtype=numpy.uint64)
        for column, ids in ((0, source), (2, target)):
            pairs[:, column] = _mix(numpy, ids + numpy.uint64(1))
            pairs[:, column + 1] = _mix(numpy, pairs[:, column])
        yield pairs.tobytes()


def _mix(numpy: Any, numbers: Any) -> Any:
    """Different numbers for different numbers, spread like digests."""
    mixed = numbers * numpy.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> numpy.uint64(31))


def main() -> None:
    nodes, edges, scratch = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    log = EdgeLog(scratch)
    began = time.monotonic()
    making = 0.0
    for pairs in _time_making(nodes, edges):
        making += pairs[1]
        log.add_edges(pairs[0])
    ranks = log.compute(str(Path(scratch) / "ranks"), memory=MEMORY)
    seconds = time.monotonic() - began - making
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    found, links, iterations, _ = ranks.page_facts
    print(json.dumps({"nodes": found, "edges": links, "iterations": iterations, "seconds": seconds, "bytes": peak}))


def _time_making(nodes: int, edges: int) -> Iterator[tuple[bytes, float]]:
    """The edges, and how long it took to make them."""
    began = time.monotonic()
    for pairs in _make_edges(nodes, edges):
        yield pairs, time.monotonic() - began
        began = time.monotonic()


if __name__ == "__main__":
    main()
