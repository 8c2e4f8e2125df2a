"""Everything that a release must show, in one run and one last line."""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.acceptance import archives, audit, cost, manifest
from tests.acceptance.crash.dealing import run_kills

Figures = tuple[str, bool]


def all_figures(kills: int) -> Iterator[Figures]:
    with tempfile.TemporaryDirectory(prefix="hondius-lossless-") as name:
        scratch = Path(name)
        with manifest.crawled_web(scratch) as crawled:
            yield manifest.judge_manifest(crawled)
            yield archives.judge_archives(crawled, scratch)
            yield audit.of_crawl(crawled.directory)
        yield cost.measure_cost(scratch / "benchmark")
        yield run_kills(kills, scratch)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    figures = []
    for line, passed in all_figures(parser.parse_args().kills):
        print(f"{'met   ' if passed else 'MISSED'} {line}", flush=True)
        figures.append((line, passed))
    print(" | ".join(line for line, _ in figures))
    return 0 if all(passed for _, passed in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
