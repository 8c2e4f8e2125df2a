"""Rows of a crawl as Arrow batches: only the columns that a query needs, in bounded memory."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from hondius.model import NO_REQUISITES, HostState, PageFilter
from hondius.opening import Crawl
from hondius.use.export import arrow
from hondius.use.export.columns import ColumnType, find_columns
from hondius.use.export.rows import RowReader, note_unread
from hondius.use.sql.links import list_links
from hondius.use.sql.tables import TABLES
from hondius.use.unread_bodies import UnreadBodies

if TYPE_CHECKING:
    import pyarrow

Rows = Iterator[dict[str, Any]]
BATCH_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class Withheld:
    """Which pages are without their content: title, text and so on."""

    noindex: bool = False
    """False: those that ask not to be indexed (D4)."""
    purpose: str = ""
    """A use of `usage.py`: those that their owners reserve for it (W3)."""


AS_ASKED = Withheld()


def open_table(
    crawl: Crawl, name: str, columns: Sequence[str], withheld: Withheld, unread: UnreadBodies
) -> tuple["pyarrow.Schema", Iterator["pyarrow.RecordBatch"]]:
    """`unread` gets the pages whose body cannot be read: they have no content."""
    if name in _KINDS:
        chosen = find_columns(columns)
        selected = PageFilter(kinds=_KINDS[name])
        rows = RowReader(crawl, chosen, noindex=withheld.noindex, purpose=withheld.purpose).read(selected)
        return arrow.make_schema(chosen), arrow.make_batches(note_unread(rows, unread), chosen)
    schema = _make_schema(name, columns)
    return schema, _make_batches(_READERS[name](crawl), schema)


def _list_hosts(crawl: Crawl) -> Rows:
    for host in crawl.catalog.hosts():
        yield _make_host_row(host)


def _make_host_row(host: HostState) -> dict[str, Any]:
    row = msgspec.structs.asdict(host)
    row["average_response"] = host.seconds / host.fetched if host.fetched else None
    row["circuit_until"] = host.circuit_until or None
    return row


def _list_fetches(crawl: Crawl) -> Rows:
    return map(_write_hex, crawl.catalog.list_all_fetches())


def _list_errors(crawl: Crawl) -> Rows:
    return map(_write_hex, crawl.catalog.list_errors())


def _write_hex(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value.hex() if isinstance(value, bytes) else value for name, value in row.items()}


_KINDS = {"pages": NO_REQUISITES, "requisites": ("requisite",)}
"""Tables of rows that an export has, too."""
_READERS: dict[str, Callable[[Crawl], Rows]] = {
    "hosts": _list_hosts,
    "links": list_links,
    "errors": _list_errors,
    "fetches": _list_fetches,
}


def _make_schema(name: str, columns: Sequence[str]) -> "pyarrow.Schema":
    pyarrow = arrow.load_arrow()
    types = {
        ColumnType.TEXT: pyarrow.string(),
        ColumnType.INTEGER: pyarrow.int64(),
        ColumnType.NUMBER: pyarrow.float64(),
        ColumnType.TIME: pyarrow.timestamp("ms", tz="UTC"),
    }
    chosen = [column for column in TABLES[name].columns if column.name in columns]
    return pyarrow.schema([pyarrow.field(column.name, types[column.type]) for column in chosen])


def _make_batches(rows: Iterable[dict[str, Any]], schema: "pyarrow.Schema") -> Iterator["pyarrow.RecordBatch"]:
    pyarrow = arrow.load_arrow()
    waiting = iter(rows)
    while some := list(islice(waiting, BATCH_ROWS)):
        columns = ([row[field.name] for row in some] for field in schema)
        arrays = [
            pyarrow.array(_convert_times(values) if pyarrow.types.is_timestamp(field.type) else values, field.type)
            for field, values in zip(schema, columns, strict=True)
        ]
        yield pyarrow.record_batch(arrays, schema=schema)


def _convert_times(values: Sequence[float | None]) -> list[int | None]:
    """Times are seconds since the epoch in the catalog."""
    return [None if at is None else round(at * 1_000_000) // 1_000 for at in values]
