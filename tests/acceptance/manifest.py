"""A whole synthetic web is crawled, and every URL of it ends as its manifest says."""

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hondius.testweb.judge import Verdict
from tests.acceptance import commands
from tests.acceptance.synthetic_web import SyntheticWeb, serving, show_faults

HOSTS = 300
PAGES_PER_HOST = 30
SEED = 7


@dataclass(frozen=True)
class Crawled:
    web: SyntheticWeb
    directory: Path


@contextlib.contextmanager
def crawled_web(scratch: Path, hosts: int = HOSTS, pages_per_host: int = PAGES_PER_HOST) -> Iterator[Crawled]:
    """The web runs on inside the block: its answers can be compared with what was kept of them."""
    with serving(scratch, hosts=hosts, pages_per_host=pages_per_host, seed=SEED) as web:
        ended = commands.run_well(*web.crawl_arguments(scratch / "crawl", delay=0))
        figures = ended.summary
        print(f"  {figures['pages']:,} pages in {ended.seconds:.1f} s: {figures['stop_reason']}")
        yield Crawled(web, scratch / "crawl")


def judge_manifest(crawled: Crawled) -> tuple[str, bool]:
    """A line of figures, and whether the bar is met."""
    verdict = crawled.web.judge(commands.rows(commands.export(crawled.directory)))
    show_faults(verdict.faults)
    return _figures(crawled, verdict), verdict.passed


def _figures(crawled: Crawled, verdict: Verdict) -> str:
    counts = ", ".join(f"{len(lines)} {name.replace('_', ' ')}" for name, lines in vars(verdict).items())
    return f"manifest of {len(crawled.web.manifest.resources):,} URLs: {counts}"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="hondius-manifest-") as scratch, crawled_web(Path(scratch)) as crawled:
        line, passed = judge_manifest(crawled)
    print(line)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
