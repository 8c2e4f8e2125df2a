"""Rows as Apache Arrow: record batches, tables, and data frames of pandas and polars, without a file.

Batches are bounded in rows and bytes, so a reader takes constant memory however large the crawl is.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hondius.model import PageFilter, PageOrder
from hondius.opening import Crawl
from hondius.use.export.columns import Column, ColumnType, find_columns
from hondius.use.export.rows import Row, RowReader, note_unread
from hondius.use.extras import import_extra
from hondius.use.unread_bodies import UnreadBodies

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

BATCH_ROWS = 10_000
BATCH_BYTES = 4 * 1024 * 1024
"""Characters and bytes of texts in a batch: the row that reaches it is the last."""
_OF_ANY_LENGTH = (ColumnType.TEXT, ColumnType.JSON, ColumnType.BYTES)
DEFAULT_COLUMNS = (
    *("url", "key", "kind", "host", "state", "cause", "status", "title", "description", "fetched_at"),
    *("first_fetched_at", "discovered_at", "fetch_count", "change_count", "warc_file", "warc_offset", "warc_length"),
    *("type", "charset", "language", "canonical", "content_hash", "simhash", "length", "wire_length", "depth", "via"),
    *(
        "source",
        "redirect_to",
        "copy_of",
        "truncated",
        "noindex",
        "usage",
        "extracted",
        "links",
        "new_links",
        "address",
    ),
)
"""Those of Parquet and of tables: columns of the catalog that are not the same in another form."""


def load_arrow(extra: str = "parquet") -> Any:
    """`extra`: what the caller needs besides Arrow, so that one command installs everything."""
    return import_extra("pyarrow", extra, "makes Arrow tables and Parquet files")


def open_reader(
    crawl: Crawl,
    selected: PageFilter,
    columns: Sequence[str] = DEFAULT_COLUMNS,
    *,
    noindex: bool = False,
    order: PageOrder = "key",
    end: Callable[[UnreadBodies], None] = lambda unread: None,
) -> "pyarrow.RecordBatchReader":
    """Reads batches as they are asked for. The crawl must stay open until the last. `end` is called after the last
    row, with the pages that have no content because their body could not be read."""
    arrow = load_arrow()
    chosen = find_columns(columns)
    rows = RowReader(crawl, chosen, noindex=noindex).read(selected, order)
    unread = UnreadBodies()

    def read() -> "Iterator[pyarrow.RecordBatch]":
        yield from make_batches(note_unread(rows, unread), chosen)
        end(unread)

    return arrow.RecordBatchReader.from_batches(make_schema(chosen), read())


def to_arrow(reader: "pyarrow.RecordBatchReader") -> "pyarrow.Table":
    return reader.read_all()


def to_pandas(reader: "pyarrow.RecordBatchReader") -> "pandas.DataFrame":
    import_extra("pandas", "pandas", "makes data frames")
    return reader.read_pandas()


def to_polars(reader: "pyarrow.RecordBatchReader") -> "polars.DataFrame":
    frames: Any = import_extra("polars", "polars", "makes data frames")
    made: polars.DataFrame = frames.from_arrow(reader.read_all())
    return made


def make_schema(columns: Sequence[Column]) -> "pyarrow.Schema":
    arrow = load_arrow()
    types = {
        ColumnType.TEXT: arrow.string(),
        ColumnType.INTEGER: arrow.int64(),
        ColumnType.NUMBER: arrow.float64(),
        ColumnType.BOOLEAN: arrow.bool_(),
        ColumnType.TIME: arrow.timestamp("ms", tz="UTC"),
        ColumnType.JSON: arrow.string(),
        ColumnType.BYTES: arrow.binary(),
    }
    return arrow.schema([arrow.field(column.name, types[column.type]) for column in columns])


def make_batches(rows: Iterable[Row], columns: Sequence[Column]) -> Iterator["pyarrow.RecordBatch"]:
    schema = make_schema(columns)
    texts = [index for index, column in enumerate(columns) if column.type in _OF_ANY_LENGTH]
    waiting: list[tuple[Any, ...]] = []
    size = 0
    for row in rows:
        waiting.append(row.values)
        size += sum(_measure(row.values[index]) for index in texts)
        if len(waiting) >= BATCH_ROWS or size >= BATCH_BYTES:
            yield _make_batch(waiting, columns, schema)
            waiting, size = [], 0
    if waiting:
        yield _make_batch(waiting, columns, schema)


def _measure(value: Any) -> int:
    return 0 if value is None else len(value)


def _make_batch(
    rows: list[tuple[Any, ...]], columns: Sequence[Column], schema: "pyarrow.Schema"
) -> "pyarrow.RecordBatch":
    arrow = load_arrow()
    values = zip(*rows, strict=True) if columns else ()
    arrays = [
        arrow.array(_convert(column.type, some), field.type)
        for column, field, some in zip(columns, schema, values, strict=True)
    ]
    return arrow.record_batch(arrays, schema=schema)


def _convert(kind: ColumnType, values: Sequence[Any]) -> Sequence[Any]:
    match kind:
        case ColumnType.TIME:
            return [None if at is None else round(at * 1_000_000) // 1_000 for at in values]
        case ColumnType.JSON:
            return [None if value is None else value.decode() for value in values]
        case ColumnType.BYTES:
            return [None if value is None else value.data for value in values]
        case _:
            return values
