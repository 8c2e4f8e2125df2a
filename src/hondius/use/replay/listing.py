"""The pages of a crawl, in the order of their URLs."""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nsmallest

from hondius.model import PageFilter
from hondius.opening import Crawl

COLUMNS = ("url", "title", "last_fetched_at", "status", "state", "warc_file")
PAGES = PageFilter(kinds=("page",))


@dataclass(frozen=True, slots=True)
class ListedPage:
    url: str
    title: str
    at: float
    status: int


def list_pages(crawl: Crawl, prefix: str, after: str, most: int) -> tuple[list[ListedPage], int]:
    """Up to `most` archived pages whose URL begins with `prefix`, with or without its scheme, and comes after `after`;
    and how many pages there are with this prefix. One pass over the catalog, in constant memory: no store has them in
    this order."""
    counted = [0]
    last = strip_scheme(after)
    found = (page for page in _find_pages(crawl, prefix.strip(), counted) if strip_scheme(page.url) > last)
    listed = nsmallest(most, found, key=lambda page: strip_scheme(page.url))
    return listed, counted[0]


def _find_pages(crawl: Crawl, prefix: str, counted: list[int]) -> Iterator[ListedPage]:
    has_scheme = "://" in prefix
    for url, title, at, status, _, warc_file in crawl.catalog.read_columns(COLUMNS, PAGES):
        if warc_file is None or at is None or status is None:
            continue
        if (url if has_scheme else strip_scheme(url)).startswith(prefix):
            counted[0] += 1
            yield ListedPage(url, title, at, status)


def strip_scheme(url: str) -> str:
    return url.partition("://")[2] or url
