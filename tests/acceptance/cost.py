"""What a page costs: the benchmark site behind nginx, 10,000 pages on 500 hosts, measured from outside."""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.site.generate import site
from benchmarks.site.nginx import serving
from benchmarks.site.plan import HOSTS, PAGES_PER_HOST

from tests.acceptance import commands

PAGES = HOSTS * PAGES_PER_HOST
MOST_MILLISECONDS = 1.5
MOST_MEGABYTES = 300
CONCURRENCY = 64


def measure_cost(into: Path, concurrency: int = CONCURRENCY) -> tuple[str, bool]:
    """A line of figures, and whether the bars are met."""
    with serving(site()) as server:
        ended = commands.run_well(
            *("crawl", "--seeds", server.seeds_file, "--resolve", f"@{server.resolve_file}", "--into", into),
            *("--scope", "host", "--delay", 0, "--concurrency", concurrency, "--json"),
        )
    pages = ended.summary["pages"]
    milliseconds = ended.cpu_seconds * 1_000 / max(1, pages)
    megabytes = ended.peak_bytes / 1e6
    line = (
        f"cost of {pages:,} pages: {milliseconds:.2f} ms CPU a page (bar {MOST_MILLISECONDS}), "
        f"{pages / ended.seconds:,.0f} pages/s, {megabytes:.0f} MB at most (bar {MOST_MEGABYTES})"
    )
    return line, pages == PAGES and milliseconds <= MOST_MILLISECONDS and megabytes <= MOST_MEGABYTES


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--concurrency", type=int, default=CONCURRENCY)
    concurrency: int = parser.parse_args().concurrency
    with tempfile.TemporaryDirectory(prefix="hondius-cost-") as scratch:
        line, passed = measure_cost(Path(scratch) / "crawl", concurrency)
    print(line)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
