"""Importance (S8): ranks are those of rustworkx, large graphs fit, and a crawl finds important pages first (F2)."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.acceptance.content import rank_order, rank_scale
from tests.acceptance.figure import Figure

JUDGE = Path(sys.prefix) / "judges" / "bin" / "python"
REFERENCE = Path(__file__).with_name("rank_reference.py")
GRAPHS = {"random": (100_000, 500_000, 1), "few hubs": (100_000, 500_000, 2), "tiny": (50, 60, 3)}
"""Nodes, edges, seed."""
LARGEST_DIFFERENCE = 1e-6
MOST_MEMORY, MOST_SECONDS = 2**30, 600.0
LEAST_CLOSED = 0.40


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="hondius-rank-accept-") as name:
        scratch = Path(name)
        for graph, (nodes, edges, seed) in GRAPHS.items():
            yield _compare(scratch, graph, nodes, edges, seed)
        yield from _measure_scale(scratch)
        for web, order in rank_order.orders(scratch):
            closed = f"{order.closed:.0%} ({order})"
            yield Figure(f"order on {web}, gap closed", order.closed >= LEAST_CLOSED, closed, f"≥ {LEAST_CLOSED:.0%}")


def _compare(scratch: Path, name: str, nodes: int, edges: int, seed: int) -> Figure:
    """The judge writes the graph and its ranks; both are read here."""
    result = scratch / "ranks.json"
    kind = "few" if "few" in name else "any"
    subprocess.run([JUDGE, REFERENCE, str(nodes), str(edges), str(seed), kind, result], check=True)
    told = json.loads(result.read_text())
    found = rank_scale.rank_small(scratch, told["edges"])
    difference = max(abs(rank - found[int(node)]) for node, rank in told["ranks"].items())
    met = difference <= LARGEST_DIFFERENCE and len(found) == len(told["ranks"])
    bar = f"≤ {LARGEST_DIFFERENCE:g}"
    return Figure(f"ranks of {name} graph, largest difference to rustworkx", met, f"{difference:.1e}", bar)


def _measure_scale(scratch: Path) -> Iterator[Figure]:
    measured = rank_scale.measure(scratch)
    what = f"{measured.edges:,} edges on {measured.nodes:,} pages"
    yield Figure(f"{what}, memory", measured.bytes <= MOST_MEMORY, f"{measured.bytes / 2**20:.0f} MiB", "≤ 1 GiB")
    parts = f"{measured.seconds:.0f} s, {measured.iterations} iterations"
    yield Figure(f"{what}, time", measured.seconds <= MOST_SECONDS, parts, f"≤ {MOST_SECONDS:.0f} s")
