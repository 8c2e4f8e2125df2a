"""The links that a crawl has stored, as the edges of a graph."""

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from hondius.errors import HondiusError
from hondius.model import ALL_PAGES, PageFilter, State
from hondius.native import EdgeLog, Identity, NativeError
from hondius.ports import LinkReader, PartitionView

REDIRECTS = PageFilter(states=(State.REDIRECTED,))


@dataclass(slots=True)
class KeptEdges:
    pages: int = 0
    unread: int = 0
    """Pages whose links cannot be read."""


def add_kept_edges(
    edges: EdgeLog,
    view: PartitionView,
    reader: LinkReader,
    identity: Identity,
    show: Callable[[int], None] = lambda pages: None,
) -> KeptEdges:
    """Adds the links of each page as of its last fetch, and redirects. A damaged block costs only its own pages.
    `show` is called with the number of pages; its exception ends this."""
    kept = KeptEdges()
    for file in view.link_segments():
        offsets, indexes = array("Q"), array("L")
        for offset, index, _, _ in view.list_link_locations(file, ALL_PAGES):
            offsets.append(offset)
            indexes.append(index)
        for offset, places in groupby(range(len(offsets)), key=offsets.__getitem__):
            chosen = [indexes[place] for place in places]
            try:
                added = edges.add_block(reader.read_packed(file, offset), chosen, identity)
            except HondiusError:
                added = 0
            except NativeError as error:
                if error.kind == "io":  # not of the block: the edges cannot be written
                    raise
                added = 0
            kept.pages += added
            kept.unread += len(chosen) - added
            show(kept.pages)
    _add_redirects(edges, view, identity)
    return kept


def _add_redirects(edges: EdgeLog, view: PartitionView, identity: Identity) -> None:
    for row in view.pages(REDIRECTS):
        try:
            target = identity.parse(row["redirect_to"] or "")
        except NativeError:
            continue
        edges.add_redirect(row["key"], row["url"], target.key, target.href)
