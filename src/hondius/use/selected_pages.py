"""Reads the pages that a filter selects. A copy is left out only if its original is selected.

Anybody can copy a page. If the copy is fetched first, it is the original of the page that it was copied from. A filter
that leaves out the original, because it is reserved or asks not to be indexed, must not leave out the page as well.
"""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from hondius.crawler.translation import make_identity
from hondius.model import PageFilter, PageOrder, State
from hondius.native import NativeError
from hondius.opening import Crawl
from hondius.use.content import MAX_REVISITS, Row
from hondius.use.row_filter import RowFilter


def read_selected(
    crawl: Crawl,
    selected: PageFilter,
    order: PageOrder = "key",
    leave_out: Callable[[Row], None] = lambda page: None,
) -> Iterator[Row]:
    """As `catalog.pages`, which does not know whether the original of a copy is selected."""
    if selected.copies:
        return crawl.catalog.pages(selected, order, leave_out)
    copies = CopyFilter(crawl, selected)
    pages = crawl.catalog.pages(replace(selected, copies=True), order, leave_out)
    return (page for page in pages if not copies.is_copy_of_selected(page))


class CopyFilter:
    """Each copy takes one look-up of its original in the catalog."""

    def __init__(self, crawl: Crawl, selected: PageFilter) -> None:
        self._catalog = crawl.catalog
        self._identity = make_identity(crawl.settings)
        self._originals = RowFilter(replace(selected, copies=False, states=()))

    def is_copy_of_selected(self, page: Row) -> bool:
        """The original may have changed since, or may be served as another media type: the page is no copy then. It may
        also have become a copy of a third page."""
        row: Row | None = page
        for _ in range(MAX_REVISITS):
            if row is None or row["state"] != State.DUPLICATE:
                return False
            row = self._find_original(row)
            if row is not None and _has_same_content(page, row) and self._originals.matches(row):
                return True
        return False

    def _find_original(self, page: Row) -> Row | None:
        try:
            return self._catalog.page(self._identity.parse(page["copy_of"] or "").key)
        except NativeError:
            return None


def _has_same_content(page: Row, original: Row) -> bool:
    return (page["content_hash"], page["type"]) == (original["content_hash"], original["type"])
