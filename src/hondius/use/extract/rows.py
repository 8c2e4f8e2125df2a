"""The rows of a crawl, by a rule set."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from hondius.errors import HondiusError
from hondius.model import PageFilter, State
from hondius.native import FoundFields
from hondius.opening import Crawl
from hondius.use.content import Contents
from hondius.use.export.columns import find_columns
from hondius.use.export.parallel import map_in_order
from hondius.use.export.rows import Row
from hondius.use.export.subject import Subject
from hondius.use.extract.columns import make_values
from hondius.use.extract.rules import RuleSet
from hondius.use.left_out import LeftOut
from hondius.use.selected_pages import read_selected


@dataclass
class Totals:
    """What was extracted so far."""

    fields: dict[str, int]
    """Pages on which each field found something."""
    pages: int = 0
    rows: int = 0
    empty: int = 0
    """Pages without a row."""
    damaged: int = 0
    first_damaged: str = ""
    """The URL of the first page whose body could not be read."""
    costly: int = 0
    first_costly: str = ""
    """The URL of the first page that was too expensive for the rules."""
    left_out: LeftOut = field(default_factory=LeftOut)
    """Pages that are reserved for the purpose of the filter (W3)."""

    def leave_out(self, page: dict[str, Any]) -> None:
        self.left_out.add(page)


def select_for_rules(rules: RuleSet, selected: PageFilter) -> PageFilter:
    """The pages of a rule set, narrowed by what the user asks for: times, copies, noindex, purpose."""
    of_rules = rules.selected
    states = (State.COMPLETED.value, State.DUPLICATE.value)
    return replace(
        selected,
        hosts=of_rules.hosts,
        pattern=of_rules.pattern,
        languages=of_rules.languages,
        kinds=("page",),
        states=states,
    )


@dataclass(frozen=True, slots=True)
class _ReadPage:
    page: dict[str, Any]
    found: FoundFields | None
    """None if its body is damaged, or was not stored."""
    values: tuple[Any, ...] = ()
    """Of the columns before the fields."""
    is_damaged: bool = False


class ExtractedRows:
    """Rows are read as they are asked for, in the order in which the pages are archived. Bodies are read and searched
    on several threads, a few pages ahead."""

    def __init__(self, crawl: Crawl, rules: RuleSet, selected: PageFilter) -> None:
        """`selected`: made by `select_for_rules`."""
        self._crawl = crawl
        self._contents = Contents(crawl)
        self._rules = rules
        self._columns = find_columns(rules.columns)
        self._selected = selected
        if any(column.is_deep for column in self._columns):
            crawl.deep_texts  # noqa: B018 - opened here, before several threads use it

    def read(self, totals: Totals, show: Callable[[int], None] = lambda rows: None) -> Iterator[Row]:
        """A page is counted when its first row is asked for. `show` is called with the rows so far."""
        totals.left_out.purpose = self._selected.purpose
        pages = read_selected(self._crawl, self._selected, "archive", totals.leave_out)
        for read in map_in_order(self._read_page, pages):
            self._count(read, totals)
            for found in read.found.rows if read.found is not None else ():
                totals.rows += 1
                yield Row(read.page, (*read.values, *make_values(self._rules, found)), is_withheld=False)
                show(totals.rows)

    def _read_page(self, page: dict[str, Any]) -> _ReadPage:
        try:
            found = self._contents.find_fields(page, self._rules.native)
        except HondiusError:
            return _ReadPage(page, None, is_damaged=True)
        subject = Subject(page, self._contents)
        values = tuple(column.read(subject) for column in self._columns)
        return _ReadPage(page, found, values, subject.is_damaged)

    def _count(self, read: _ReadPage, totals: Totals) -> None:
        url, found = str(read.page["url"]), read.found
        totals.pages += 1
        if read.is_damaged:
            totals.damaged += 1
            totals.first_damaged = totals.first_damaged or url
        if found is not None and found.is_costly:
            totals.costly += 1
            totals.first_costly = totals.first_costly or url
        totals.empty += found is None or not found.rows
        if found is not None:
            for rule, (count, _, _) in zip(self._rules.fields, found.matches, strict=True):
                totals.fields[rule.name] += count > 0


def new_totals(rules: RuleSet) -> Totals:
    return Totals(dict.fromkeys((rule.name for rule in rules.fields), 0))
