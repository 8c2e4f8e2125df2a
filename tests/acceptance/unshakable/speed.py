"""CPU and memory of a page against the earlier build: the benchmark site, crawled by both builds in turn."""

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.site.generate import site
from benchmarks.site.nginx import serving
from benchmarks.site.plan import HOSTS, PAGES_PER_HOST

from tests.acceptance import commands
from tests.acceptance.earlier_build import make_earlier_build
from tests.acceptance.figure import Figure

PAIRS = 7
PAGES = HOSTS * PAGES_PER_HOST
CONCURRENCY = 64
MOST_CPU, MOST_MEMORY = 1.05, 1.10


def figures() -> Iterator[Figure]:
    yield from against_earlier_build(MOST_CPU, MOST_MEMORY)
    yield _kernels()


def against_earlier_build(most_cpu: float, most_memory: float, *options: object) -> Iterator[Figure]:
    """Only today's build gets `options`."""
    earlier = make_earlier_build()
    ratios_cpu, ratios_memory, rates = [], [], []
    with tempfile.TemporaryDirectory(prefix="hondius-speed-") as name, serving(site()) as server:
        arguments = (
            *("crawl", "--seeds", server.seeds_file, "--resolve", f"@{server.resolve_file}"),
            *("--scope", "host", "--delay", 0, "--concurrency", CONCURRENCY, "--json"),
        )
        for pair in range(PAIRS):
            before = _measure(earlier.python, *arguments, "--into", Path(name) / f"earlier-{pair}")
            today = _measure(Path(sys.executable), *arguments, *options, "--into", Path(name) / f"today-{pair}")
            ratios_cpu.append(today.cpu_seconds / before.cpu_seconds)
            ratios_memory.append(today.peak_bytes / before.peak_bytes)
            rates.append((PAGES / before.seconds, PAGES / today.seconds))
            print(
                f"       pair {pair + 1}: {_milliseconds(before):.3f} → {_milliseconds(today):.3f} ms CPU a page, "
                f"{before.peak_bytes / 1e6:.0f} → {today.peak_bytes / 1e6:.0f} MB",
                flush=True,
            )
    cpu, memory = statistics.median(ratios_cpu), statistics.median(ratios_memory)
    yield Figure(
        f"CPU a page / earlier build, median of {PAIRS} pairs", cpu <= most_cpu, f"{cpu:.3f}", f"at most {most_cpu}"
    )
    yield Figure(
        f"peak memory / earlier build, median of {PAIRS} pairs",
        memory <= most_memory,
        f"{memory:.3f}",
        f"at most {most_memory}",
    )
    old, new = statistics.median(old for old, _ in rates), statistics.median(new for _, new in rates)
    yield Figure("pages/s, not judged", True, f"{old:,.0f} → {new:,.0f}")


def _milliseconds(ended: commands.Ended) -> float:
    return ended.cpu_seconds * 1000 / PAGES


def _measure(python: Path, *arguments: object) -> commands.Ended:
    ended = commands.run(*arguments, command=(str(python), "-m", "hondius"))
    if ended.status != 0 or ended.summary["pages"] != PAGES:
        raise SystemExit(f"{python} crawled {ended.output[:200]}: {ended.errors[-500:]}")
    return ended


def _kernels() -> Figure:
    command = [sys.executable, "-m", "benchmarks.kernels", "--guard"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    lines = ended.stdout.strip().splitlines()
    judged = ended.returncode == 0 and not any("NOT" in line for line in lines)
    return Figure(
        "instructions of the kernels", judged, lines[-1] if lines else ended.stderr[-200:], "10 % more than committed"
    )
