"""One pass over the link segments: which pages link to URLs that failed, or that redirect.

A page that has several links to one URL counts as one link.
"""

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from hondius.errors import HondiusError
from hondius.model import PageFilter
from hondius.native import Link, PageLinks
from hondius.ports import Catalog, LinkReader
from hondius.use.report.facts import LinkingPage
from hondius.use.report.targets import Targets

MOST_LINKED = 20_000
"""Targets whose linking pages are kept as examples; links to others are counted."""
SHOWN_SOURCES = 20
"""Linking pages that are kept of a target."""
MOST_SOURCES = 50_000
"""Above this number of linking pages, one is kept of each other target."""
LONGEST_ANCHOR = 120


@dataclass(slots=True)
class Linked:
    """A failed URL or a redirect, as links name it."""

    pages: int = 0
    sources: list[LinkingPage] = field(default_factory=list)


@dataclass
class LinkFacts:
    linked: dict[bytes, Linked] = field(default_factory=dict)
    """By the key that links name."""
    broken_pages: int = 0
    """Pages with at least one link to a failed URL, directly or by redirects."""
    broken_links: int = 0
    redirect_links: int = 0
    pages_read: int = 0
    pages_unread: int = 0
    other_targets: int = 0
    """Links to targets above `MOST_LINKED`."""
    _kept: int = 0

    def add_page(self, page: PageLinks, targets: Targets) -> None:
        self.pages_read += 1
        found = {link.key: link for link in page.links if link.key in targets.failed or link.key in targets.redirects}
        if not found:
            return
        broken = sum(targets.find_failure(key) is not None for key in found)
        self.broken_links += broken
        self.broken_pages += broken > 0
        self.redirect_links += sum(key in targets.redirects for key in found)
        for link in found.values():
            self._add_link(page.href, link)

    def _add_link(self, source: str, link: Link) -> None:
        linked = self.linked.get(link.key)
        if linked is None:
            if len(self.linked) == MOST_LINKED:
                self.other_targets += 1
                return
            linked = self.linked[link.key] = Linked()
        linked.pages += 1
        if len(linked.sources) < (SHOWN_SOURCES if self._kept < MOST_SOURCES else 1):
            self._kept += 1
            linked.sources.append(LinkingPage(source, link.anchor[:LONGEST_ANCHOR], link.kind))


def read_links(
    catalog: Catalog, reader: LinkReader, selected: PageFilter, targets: Targets, show: Callable[[int], None]
) -> LinkFacts:
    """The links of the selected pages. A damaged block costs only its own pages."""
    facts = LinkFacts()
    for file in catalog.link_segments():
        for offset, indexes in _group_by_block(catalog, file, selected):
            try:
                pages = reader.read_block(file, offset)
                chosen = [pages[index] for index in indexes]
            except (HondiusError, IndexError):
                facts.pages_unread += len(indexes)
                continue
            for page in chosen:
                facts.add_page(page, targets)
            show(facts.pages_read)
    return facts


def _group_by_block(catalog: Catalog, file: str, selected: PageFilter) -> Iterator[tuple[int, list[int]]]:
    """All locations are read first, 12 bytes for each page of a segment: reading the links takes long, and an open
    query would delay the writer of a running crawl."""
    offsets, indexes = array("Q"), array("L")
    for offset, index, _, _ in catalog.list_link_locations(file, selected):
        offsets.append(offset)
        indexes.append(index)
    for offset, places in groupby(range(len(offsets)), key=offsets.__getitem__):
        yield offset, [indexes[place] for place in places]
