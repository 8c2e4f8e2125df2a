"""The pages and hosts of a crawl with the highest ranks."""

from collections.abc import Callable

import msgspec

from hondius.opening import Crawl
from hondius.use.rank.names import find_urls
from hondius.use.rank.stored import MOST_TOP, load_ranks, read_note

DEFAULT_MOST = 20


class RankedPage(msgspec.Struct, frozen=True):
    """A page with its rank."""

    url: str
    rank: float
    """The ranks of all pages add up to 1."""
    percentile: float
    """The share of pages with a lower rank, and half of those with the same, from 0 to 1."""
    state: str
    """How it ended; empty if it was named and not requested so far."""


class RankedHost(msgspec.Struct, frozen=True):
    """A host with its rank among hosts."""

    host: str
    rank: float
    percentile: float


class CrawlRanking(msgspec.Struct, frozen=True):
    """The pages and hosts of a crawl with the highest PageRank, highest first."""

    crawl: str
    pages: int
    """Pages that were crawled, or to which such pages link."""
    links: int
    """Links between them: at most one from a page to another."""
    hosts: int
    host_links: int
    iterations: int
    unread: int
    """Pages whose links could not be read."""
    top_pages: list[RankedPage]
    top_hosts: list[RankedHost]


def rank_crawl(
    crawl: Crawl,
    most: int = DEFAULT_MOST,
    show: Callable[[str, float], None] = lambda doing, share: None,
) -> CrawlRanking:
    """Computes the ranks, unless they are stored. `most`: the length of each list."""
    ranks = load_ranks(crawl, show)
    most = min(most, MOST_TOP)
    top = ranks.top_pages(most)
    names = find_urls(crawl, [key for key, _, _ in top])
    pages, links, iterations, _ = ranks.page_facts
    host_count, host_links, _, _ = ranks.host_facts
    return CrawlRanking(
        crawl=crawl.name,
        pages=pages,
        links=links,
        hosts=host_count,
        host_links=host_links,
        iterations=iterations,
        unread=read_note(ranks).unread,
        top_pages=[
            RankedPage(names[key][0], rank, percentile, names[key][1]) for key, rank, percentile in top if key in names
        ],
        top_hosts=[RankedHost(*host) for host in ranks.top_hosts(most)],
    )
