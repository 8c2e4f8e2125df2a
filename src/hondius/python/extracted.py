"""Rows that rules extract from the pages of a crawl."""

from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hondius.errors import BadSetting
from hondius.model import PageFilter
from hondius.opening import Crawl
from hondius.python.parts import to_datetime
from hondius.use.export import arrow
from hondius.use.export.columns import Column, ColumnType
from hondius.use.export.rows import Row
from hondius.use.extract import ExtractedRows, RuleSet, Totals, new_totals, parse_rules, read_rules, select_for_rules
from hondius.use.extract.columns import list_columns

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Rules = str | Path | Mapping[str, Any]


class Extracted:
    """Rows that rules extract: iterate over them as dictionaries. They are read while you iterate, and again each time.

    `to_arrow()`, `to_pandas()` and `to_polars()` make tables of them, `to_batches()` streams what is too large for
    memory. `totals` says, after a loop, how many pages were read, and on how many each field was found.
    """

    def __init__(self, crawl: Crawl, rules: RuleSet, selected: PageFilter) -> None:
        self._rules = rules
        self._columns = list_columns(rules)
        self._rows = ExtractedRows(crawl, rules, select_for_rules(rules, selected))
        self.totals: Totals = new_totals(rules)
        """Of the last loop, as far as it went."""

    @property
    def columns(self) -> list[str]:
        return [column.name for column in self._columns]

    def __iter__(self) -> Generator[dict[str, Any], None, None]:
        for row in self._read():
            values = zip(self._columns, row.values, strict=True)
            yield {column.name: _to_python(column, value) for column, value in values}

    def to_batches(self) -> "pyarrow.RecordBatchReader":
        """Arrow record batches, read as they are asked for. The crawl must stay open until the last."""
        schema = arrow.make_schema(self._columns)
        batches = arrow.make_batches(self._read(), self._columns)
        return arrow.load_arrow().RecordBatchReader.from_batches(schema, batches)

    def to_arrow(self) -> "pyarrow.Table":
        return arrow.to_arrow(self.to_batches())

    def to_pandas(self) -> "pandas.DataFrame":
        arrow.load_arrow("pandas")
        return arrow.to_pandas(self.to_batches())

    def to_polars(self) -> "polars.DataFrame":
        arrow.load_arrow("polars")
        return arrow.to_polars(self.to_batches())

    def _read(self) -> Iterator[Row]:
        self.totals = new_totals(self._rules)
        return self._rows.read(self.totals)

    def __repr__(self) -> str:
        return f"<rows of {', '.join(self.columns)}, by {self._rules.name}>"


def load_rules(rules: Rules) -> RuleSet:
    """A file, or a dictionary with the same keys. Raises BadSetting."""
    match rules:
        case str() | Path():
            return read_rules(Path(rules))
        case Mapping():
            return parse_rules(rules, "rules")
    raise BadSetting(f"{rules!r} is no rule set: give the name of a file, or a dictionary such as {{'fields': …}}")


def _to_python(column: Column, value: Any) -> Any:
    if value is None:
        return None
    match column.type:
        case ColumnType.TIME:
            return to_datetime(value)
        case ColumnType.JSON:
            return msgspec.json.decode(value)
        case ColumnType.BYTES:
            return value.data
        case _:
            return value
