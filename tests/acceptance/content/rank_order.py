"""In which order a crawl finds important pages.

The whole web is crawled first: its links give the ranks. Then another crawl stops at a tenth of the pages. Its mass is
compared with that of as many pages in breadth-first order, and with that of the pages that have the highest ranks.
"""

import shutil
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hondius.crawler.translation import make_identity
from hondius.model import PageFilter, State
from hondius.native import Identity
from hondius.opening import Crawl, open_crawl
from hondius.use.rank import open_stored
from tests.acceptance import commands
from tests.acceptance.content.debian_site import serve_packages
from tests.acceptance.synthetic_web import serving

HOSTS, PAGES_PER_HOST, SEED = 200, 100, 7
SHARE = 10
PATIENCE = 3_600.0
NO_RANKS = ("--set", "rank.every=0")
ENDED = (State.COMPLETED, State.DUPLICATE, State.REDIRECTED)
MakeArguments = Callable[[Path], Sequence[object]]


@dataclass(frozen=True)
class Order:
    pages: int
    crawled: float
    breadth_first: float
    best: float

    @property
    def closed(self) -> float:
        return (self.crawled - self.breadth_first) / (self.best - self.breadth_first)

    def __str__(self) -> str:
        masses = f"{self.crawled:.3f}, breadth first {self.breadth_first:.3f}, best {self.best:.3f}"
        return f"mass of {self.pages:,} pages {masses}"


def orders(scratch: Path) -> Iterator[tuple[str, Order]]:
    with serving(scratch, hosts=HOSTS, pages_per_host=PAGES_PER_HOST, seed=SEED, slowest=0.05) as web:
        yield "the testweb", _measure(scratch, lambda into: web.crawl_arguments(into, 0))
    with serve_packages(scratch) as arguments:
        yield "Debian's documentation", _measure(scratch, arguments)


def _measure(scratch: Path, make_arguments: MakeArguments) -> Order:
    whole, part = scratch / "whole", scratch / "part"
    for directory in (whole, part):
        shutil.rmtree(directory, ignore_errors=True)
    commands.run_well(*make_arguments(whole), *NO_RANKS, patience=PATIENCE)
    commands.run_well("rank", whole, patience=PATIENCE)
    masses, links, seeds = _read_graph(whole)
    few = len(masses) // SHARE
    commands.run_well(*make_arguments(part), "--max-pages", str(few), patience=PATIENCE)
    with open_crawl(part) as crawl:
        rows = [row for row in crawl.catalog.pages() if row["key"] in masses and row["last_fetched_at"] is not None]
    crawled = [row["key"] for row in sorted(rows, key=lambda row: row["last_fetched_at"])][:few]
    breadth_first = _walk(seeds, links, masses)[: len(crawled)]
    best = sorted(masses.values(), reverse=True)[: len(crawled)]
    return Order(len(crawled), _sum(masses, crawled), _sum(masses, breadth_first), sum(best))


def _read_graph(directory: Path) -> tuple[dict[bytes, float], dict[bytes, list[bytes]], list[bytes]]:
    """Ranks and links of all pages that were crawled, and the seeds."""
    masses: dict[bytes, float] = {}
    links: dict[bytes, list[bytes]] = {}
    seeds: list[bytes] = []
    with open_crawl(directory) as crawl:
        ranks = open_stored(crawl)
        assert ranks is not None
        pages = _read_links(crawl)
        for row in crawl.catalog.pages(PageFilter(states=ENDED, kinds=("page",))):
            key = row["key"]
            ranked = ranks.page(key)
            if ranked is not None and row["links_file"] is not None:
                masses[key] = ranked[0]
                links[key] = pages.get(key, [])
            if row["redirect_to"]:
                links[key] = [Identity().parse(row["redirect_to"]).key]
            if row["via"] == "seed":
                seeds.append(key)
    return masses, links, seeds


def _read_links(crawl: Crawl) -> dict[bytes, list[bytes]]:
    reader = crawl.place.open_link_reader(identity=make_identity(crawl.settings))
    links: dict[bytes, list[bytes]] = {}
    for file, length in crawl.catalog.link_segments().items():
        for _, pages in reader.scan(file, length):
            for page in pages:
                links[page.key] = [] if page.nofollow else [link.key for link in page.links if not link.nofollow]
    return links


def _sum(masses: dict[bytes, float], keys: list[bytes]) -> float:
    return sum(masses[key] for key in keys)


def _walk(seeds: list[bytes], links: dict[bytes, list[bytes]], masses: dict[bytes, float]) -> list[bytes]:
    """The pages in breadth-first order."""
    seen, queue, walked = set(seeds), deque(seeds), []
    while queue:
        key = queue.popleft()
        if key in masses:
            walked.append(key)
        for target in links.get(key, ()):
            if target not in seen:
                seen.add(target)
                queue.append(target)
    return walked
