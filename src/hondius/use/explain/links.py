"""Where a URL was found, and what was found on it, according to the log. The log has only links to new URLs."""

from collections.abc import Iterable, Iterator

from hondius.model import Discovered, Finished
from hondius.native import decode_discoveries
from hondius.ports import Catalog, Log
from hondius.use.explain.explanation import Finding, LinkFacts

MAX_SHOWN = 50
MAX_NAMED = 3


def find_links(log: Log, key: bytes, path: list[Finding], sequences: Iterable[int]) -> LinkFacts:
    """`sequences` are the frames with its fetches: the same frame has the end of a page and the URLs found on it. In a
    log of several partitions, the frames before it have those of other partitions."""
    before = 2 * (log.partitions - 1)
    frames = sorted({number for end in sequences for number in range(max(1, end - before), end + 1)})
    found = [href for number in frames for href in _find_links_on(log, key, number)]
    return LinkFacts(path[1].url if len(path) > 1 else None, len(found), found[:MAX_SHOWN])


def describe_unread_links(catalog: Catalog, max_links: int) -> Iterator[str]:
    """An unknown URL may still be linked from a page with more links than are read."""
    pages = catalog.list_pages_of_more_links(max_links, MAX_NAMED + 1)
    if pages:
        named = ", ".join(f"{url} ({links:,})" for url, links in pages[:MAX_NAMED])
        more = " and others" if len(pages) > MAX_NAMED else ""
        read = f"only the first {max_links:,} links of a page are read (see fetch.page_cap)"
        yield f"{read}, and these pages have more: {named}{more}"


def _find_links_on(log: Log, key: bytes, number: int) -> Iterator[str]:
    frame = log.frame(number)
    for event in () if frame is None else frame.events:
        if isinstance(event, Discovered) and key in event.data:
            yield from (found.href for found in decode_discoveries(event.data) if found.source == key)
        elif isinstance(event, Finished) and event.source == key and event.started_at is None:
            yield event.url
