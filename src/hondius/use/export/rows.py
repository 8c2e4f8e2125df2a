"""Reads the rows of an export: pages of the catalog, and the values of their columns.

Columns of the content take milliseconds a page, mostly in native code without the GIL. So they are read on several
threads, a few pages ahead; rows still come in order.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hondius.model import PageFilter, PageOrder
from hondius.opening import Crawl
from hondius.usage import is_reserved
from hondius.use.content import Contents
from hondius.use.export.columns import Column, find_columns
from hondius.use.export.parallel import map_in_order
from hondius.use.export.plain import JSON_COLUMNS, make_field
from hondius.use.export.subject import Subject
from hondius.use.selected_pages import read_selected
from hondius.use.unread_bodies import UnreadBodies


@dataclass(frozen=True, slots=True)
class Row:
    page: dict[str, Any]
    """The row of the catalog."""
    values: tuple[Any, ...]
    """In the order of the columns."""
    is_withheld: bool
    """Its content was not asked for: it asks not to be indexed (D4), or is reserved (W3)."""
    is_damaged: bool = False
    """Its content could not be read."""


class RowReader:
    def __init__(self, crawl: Crawl, columns: Sequence[Column], *, noindex: bool, purpose: str = "") -> None:
        """`noindex`: with the content of pages that ask not to be indexed. `purpose`: a use of `usage.py`; without the
        content of pages that their owners reserve for it (W3)."""
        self._crawl = crawl
        self._contents = Contents(crawl)
        self._columns = columns
        self._noindex = noindex
        self._purpose = purpose
        self._reads_content = any(column.is_content for column in columns)
        if any(column.is_deep for column in columns):
            crawl.deep_texts  # noqa: B018 - opened here, before several threads use it

    def read(
        self,
        selected: PageFilter,
        order: PageOrder = "key",
        leave_out: Callable[[dict[str, Any]], None] = lambda page: None,
    ) -> Iterator[Row]:
        """`leave_out` is called with each page that is reserved for the purpose of the filter."""
        pages = read_selected(self._crawl, selected, order, leave_out)
        return map_in_order(self.make_row, pages) if self._reads_content else map(self.make_row, pages)

    def make_row(self, page: dict[str, Any]) -> Row:
        subject = Subject(page, self._contents)
        is_withheld = (page["noindex"] and not self._noindex) or (
            bool(self._purpose) and is_reserved(page["usage"], self._purpose)
        )
        values = tuple(column.value_for(subject, is_withheld=is_withheld) for column in self._columns)
        return Row(page, values, is_withheld, subject.is_damaged)


def note_unread(rows: Iterable[Row], unread: UnreadBodies) -> Iterator[Row]:
    """The same rows. Those without content because of damage are added to `unread`."""
    for row in rows:
        if row.is_damaged:
            unread.add(row.page["url"])
        yield row


def make_row(page: dict[str, Any]) -> dict[str, Any]:
    """The fields of a JSON line, without content."""
    subject = Subject(page, None)
    fields = dict(make_field(column, column.read(subject)) for column in find_columns(JSON_COLUMNS))
    return {
        name: msgspec.json.decode(value) if isinstance(value, msgspec.Raw) else value for name, value in fields.items()
    }
