"""`crawl.pages(...)`: the pages that a filter selects."""

import warnings
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from hondius.errors import CrawlWarning
from hondius.model import PageFilter
from hondius.opening import Crawl
from hondius.python.archived import make_page
from hondius.python.page import Page
from hondius.use.content import Contents
from hondius.use.export import arrow
from hondius.use.left_out import LeftOut
from hondius.use.selected_pages import read_selected
from hondius.use.unread_bodies import UnreadBodies

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Pages:
    """Pages of a crawl, read as they are iterated over; the filter runs in the store. They can be iterated over again,
    and then include pages that ended meanwhile.

    `to_arrow()`, `to_pandas()` and `to_polars()` make tables of them; `to_batches()` streams what is too large for
    memory. All take the names of columns, as `["url", "title", "markdown"]` or "url,title,markdown"; without them the
    tables have the default columns of Parquet ([columns](columns.md#default-columns)). A CrawlWarning says how many
    bodies could not be read. They need an extra: `pip install 'hondius[parquet]'`, or `pandas`, or `polars`.
    """

    def __init__(self, crawl: Crawl, contents: Contents, selected: PageFilter) -> None:
        self._crawl = crawl
        self._contents = contents
        self._selected = selected

    def __iter__(self) -> Generator[Page, None, None]:
        for row in read_selected(self._crawl, self._selected):
            yield make_page(row, self._contents)

    def count(self) -> int:
        """How many they are. Reads all their rows."""
        return sum(1 for _ in read_selected(self._crawl, self._selected))

    def count_left_out(self) -> LeftOut:
        """How many pages the filter `purpose` leaves out, and by which signals. Reads the rows of all pages."""
        left_out = LeftOut(self._selected.purpose)
        for _ in read_selected(self._crawl, self._selected, leave_out=left_out.add):
            pass
        return left_out

    def to_batches(self, columns: str | Sequence[str] = arrow.DEFAULT_COLUMNS) -> "pyarrow.RecordBatchReader":
        """Arrow record batches, read as they are asked for. The crawl must stay open until the last."""
        named = [name.strip() for name in columns.split(",")] if isinstance(columns, str) else columns
        return arrow.open_reader(self._crawl, self._selected, named, noindex=self._selected.noindex, end=self._warn)

    def to_arrow(self, columns: str | Sequence[str] = arrow.DEFAULT_COLUMNS) -> "pyarrow.Table":
        return arrow.to_arrow(self.to_batches(columns))

    def to_pandas(self, columns: str | Sequence[str] = arrow.DEFAULT_COLUMNS) -> "pandas.DataFrame":
        arrow.load_arrow("pandas")
        return arrow.to_pandas(self.to_batches(columns))

    def to_polars(self, columns: str | Sequence[str] = arrow.DEFAULT_COLUMNS) -> "polars.DataFrame":
        arrow.load_arrow("polars")
        return arrow.to_polars(self.to_batches(columns))

    def _warn(self, unread: UnreadBodies) -> None:
        if unread.count:
            effect = "the table has these pages without their content"
            warnings.warn(unread.describe(effect, self._crawl.name), CrawlWarning, stacklevel=2)

    def __repr__(self) -> str:
        return f"<Pages of {self._crawl.name}>"
