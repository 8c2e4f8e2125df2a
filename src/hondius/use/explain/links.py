"""Where a URL was found, and what was found on it, as far as the log knows: links to URLs that were known already are
counted by the page, not kept."""

from collections.abc import Iterable, Iterator

from hondius.model import Discovered, Finished
from hondius.native import decode_discoveries
from hondius.ports import Catalog, Log
from hondius.use.explain.explanation import Finding, LinkFacts

MOST_SHOWN = 50
MOST_NAMED = 3


def link_facts(log: Log, key: bytes, path: list[Finding], sequences: Iterable[int]) -> LinkFacts:
    """`sequences` are the frames that tell of its fetches: what a page led to stands beside its end, or, in a log of
    several partitions, in the frames before it."""
    before = 2 * (log.partitions - 1)
    told = sorted({number for end in sequences for number in range(max(1, end - before), end + 1)})
    found = [href for number in told for href in _found_on(log, key, number)]
    return LinkFacts(path[1].url if len(path) > 1 else None, len(found), found[:MOST_SHOWN])


def unread_note(catalog: Catalog, max_links: int) -> Iterator[str]:
    """A URL that nobody has seen may all the same be linked to: behind the links of a page that were read."""
    pages = catalog.pages_of_more_links(max_links, MOST_NAMED + 1)
    if pages:
        named = ", ".join(f"{url} ({links:,})" for url, links in pages[:MOST_NAMED])
        more = " and others" if len(pages) > MOST_NAMED else ""
        read = f"only the first {max_links:,} links of a page are read (they follow from fetch.page_cap)"
        yield f"{read}, and these had more: {named}{more}"


def _found_on(log: Log, key: bytes, number: int) -> Iterator[str]:
    frame = log.frame(number)
    for event in () if frame is None else frame.events:
        if isinstance(event, Discovered) and key in event.data:
            yield from (found.href for found in decode_discoveries(event.data) if found.source == key)
        elif isinstance(event, Finished) and event.source == key and event.started_at is None:
            yield event.url
