"""The interface of a format, and what it gets."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from hondius.model import PageFilter, PageOrder
from hondius.opening import Crawl
from hondius.quantities import format_count
from hondius.usage import is_reserved
from hondius.use.export.columns import Column
from hondius.use.export.rows import Row, RowReader
from hondius.use.export.subject import is_page_of_text
from hondius.use.export.targets import Target
from hondius.use.left_out import LeftOut
from hondius.use.selected_pages import read_selected

Partition = Literal["host", "day"]


@dataclass
class Tally:
    """What was exported so far."""

    show: Callable[[int], None]
    """Called with the number of rows after each."""
    rows: int = 0
    damaged: int = 0
    first_damaged: str = ""
    """The URL of the first page whose content could not be read."""
    left_out: LeftOut = field(default_factory=LeftOut)
    """Pages that are reserved for the purpose of the filter (W3)."""
    empty: int = 0
    """Pages that got no file, because they have no text."""
    pages: int = 0
    """Rows of pages with a text, where other rows are counted, too."""

    def describe(self, unit: str) -> str:
        """What was written; `unit`: what a row is."""
        if unit == "URL":
            return f"the records of {format_count(self.rows, unit)}, {self.pages:,} of them pages,"
        return format_count(self.rows, unit)

    def count_records(self, page: dict[str, Any], records: Sequence[object] | None) -> None:
        """Those of one URL. None: they could not be read."""
        self.count(page["url"], is_damaged=records is None)
        self.pages += records is not None and is_page_of_text(page)

    def leave_out(self, page: dict[str, Any]) -> None:
        self.left_out.add(page)

    def count(self, url: str, *, is_damaged: bool = False) -> None:
        self.rows += 1
        self.show(self.rows)
        if is_damaged:
            self.damaged += 1
            self.first_damaged = self.first_damaged or url


@dataclass(frozen=True)
class Job:
    """One export: which pages, and what of them."""

    crawl: Crawl
    selected: PageFilter
    columns: tuple[Column, ...]
    noindex: bool = False
    """With the content of pages that ask not to be indexed."""
    partition_by: Partition | None = None
    tally: Tally = field(default_factory=lambda: Tally(lambda rows: None))

    def rows(self, order: PageOrder = "key") -> Iterator[Row]:
        """Rows that were counted; a row is counted when the next one is asked for."""
        for row in RowReader(self.crawl, self.columns, noindex=self.noindex).read(
            self.selected, order, self.tally.leave_out
        ):
            yield row
            self.tally.count(row.page["url"], is_damaged=row.is_damaged)

    def pages(self, order: PageOrder) -> Iterator[dict[str, Any]]:
        """Rows of the catalog, without the values of columns. Not counted yet."""
        return read_selected(self.crawl, self.selected, order, self.tally.leave_out)

    def is_withheld(self, key: bytes) -> bool:
        """Whether the page of this key is reserved for the purpose of the export (W3), or asks not to be indexed and
        the export leaves such pages out (D4)."""
        if self.selected.noindex and not self.selected.purpose:
            return False
        page = self.crawl.catalog.page(key)
        return page is not None and (
            (page["noindex"] and not self.selected.noindex)
            or (bool(self.selected.purpose) and is_reserved(page["usage"], self.selected.purpose))
        )


class Format(Protocol):
    """One way to write pages."""

    @property
    def name(self) -> str: ...
    @property
    def suffixes(self) -> tuple[str, ...]:
        """Names of files that can only mean this format."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The default columns; empty if it has none to choose."""

    @property
    def unit(self) -> str:
        """What is counted: `row`, `page`, or `URL`, which has records."""

    @property
    def is_binary(self) -> bool:
        """Whether a terminal cannot show it."""

    def makes_directory(self, partition_by: Partition | None) -> bool:
        """Whether it writes many files. Raises BadSetting if it cannot be partitioned."""

    def check(self) -> None:
        """Raises WrongUse if a package is missing."""

    def narrow(self, selected: PageFilter, *, noindex: bool, copies: bool | None) -> PageFilter:
        """Leaves out pages that this format cannot show. `copies` is None if the user did not say."""

    def write(self, job: Job, target: Target) -> None: ...
