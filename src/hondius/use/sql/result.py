"""The rows of a query, for programs: `crawl.sql(...)`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hondius.opening import Crawl
from hondius.use.export.arrow import load_arrow
from hondius.use.extras import import_extra
from hondius.use.sql.limits import Limits
from hondius.use.sql.loading import AS_ASKED, Withheld
from hondius.use.sql.running import list_rows, run_query
from hondius.use.sql.statement import check_statement
from hondius.use.unread_bodies import UnreadBodies

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Answer:
    """The rows of a query: iterate over them as dictionaries, or make a table of them."""

    def __init__(self, table: "pyarrow.Table", unread: UnreadBodies, *, is_cut: bool) -> None:
        self._table = table
        self._unread = unread
        self.is_cut = is_cut
        """Whether there were more rows than `rows` allowed."""

    @property
    def unread(self) -> UnreadBodies:
        """Pages that the query saw without their content, because their body could not be read."""
        return self._unread

    @property
    def columns(self) -> list[str]:
        return list(self._table.column_names)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self._table.to_batches():
            yield from list_rows(batch)

    def tuples(self) -> Iterator[tuple[Any, ...]]:
        """The rows without the names of their columns."""
        return (tuple(row.values()) for row in self)

    def to_arrow(self) -> "pyarrow.Table":
        return self._table

    def to_pandas(self) -> "pandas.DataFrame":
        import_extra("pandas", "pandas", "makes data frames")
        return self._table.to_pandas()

    def to_polars(self) -> "polars.DataFrame":
        frames: Any = import_extra("polars", "polars", "makes data frames")
        made: polars.DataFrame = frames.from_arrow(self._table)
        return made

    def __repr__(self) -> str:
        return f"<{len(self)} rows of {', '.join(self.columns)}>"


def ask(crawl: Crawl, query: str, limits: Limits, withheld: Withheld = AS_ASKED) -> Answer:
    """Raises WrongUse if the query is refused, and HondiusError if it fails or needs more than it may use."""
    statement = check_statement(query)
    with run_query(crawl, statement, limits, withheld) as rows:
        table = load_arrow().Table.from_batches(list(rows), rows.schema)
        return Answer(table, rows.unread, is_cut=rows.is_cut)
