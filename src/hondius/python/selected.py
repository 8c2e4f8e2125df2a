"""`crawl.pages(...)`: the pages that a filter selects."""

from collections.abc import Generator

from hondius.model import PageFilter
from hondius.opening import Crawl
from hondius.python.archived import make_page
from hondius.python.page import Page
from hondius.use.content import Contents


class Pages:
    """Pages of a crawl, read as they are iterated over; the filter runs in the store. They can be iterated over again,
    and then include pages that ended meanwhile."""

    def __init__(self, crawl: Crawl, contents: Contents, selected: PageFilter) -> None:
        self._crawl = crawl
        self._contents = contents
        self._selected = selected

    def __iter__(self) -> Generator[Page, None, None]:
        for row in self._crawl.catalog.pages(self._selected):
            yield make_page(row, self._contents)

    def count(self) -> int:
        """How many they are. Reads all their rows."""
        return sum(1 for _ in self._crawl.catalog.pages(self._selected))

    def __repr__(self) -> str:
        return f"<Pages of {self._crawl.name}>"
