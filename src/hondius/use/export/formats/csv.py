"""CSV (RFC 4180), in UTF-8, with a heading.

Spreadsheets run a cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return as a formula, and titles come
from strangers. Such a text gets an apostrophe before it, which spreadsheets take as the mark of plain text. Some
spreadsheets separate cells at `;` and tabs as well: a text that has one of them is in quotation marks, which readers of
CSV take away.
"""

import io
import re
from collections.abc import Iterable, Iterator
from typing import Any

from hondius.use.export.columns import Column, ColumnType, encode_base64
from hondius.use.export.formats.format import Job
from hondius.use.export.formats.table import RowFormat
from hondius.use.export.plain import format_time
from hondius.use.export.rows import Row
from hondius.use.export.targets import Target
from hondius.use.output import compress

_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""Also in full width, which some spreadsheets read as the plain character."""
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
"""Some spreadsheets skip these at the beginning of a cell."""
_EMPTY = '""'
"""The line of a single empty cell: readers pass over an empty line."""
_finds_quoted = re.compile('[,;\t"\r\n]').search


class CsvFormat(RowFormat):
    name = "csv"
    suffixes = (".csv", ".csv.gz")
    columns = (
        *("url", "host", "kind", "state", "cause", "status", "title", "description", "fetched_at", "type", "language"),
        *("length", "depth", "redirect_to", "copy_of", "canonical", "noindex", "usage", "warc_file", "warc_offset"),
        "extracted",
    )

    def write(self, job: Job, target: Target) -> None:
        with target.open(target.main) as file, compress(file, target.main) as into:
            lines = io.StringIO()
            lines.write(format_line(_make_heading(job.columns)))
            for row in job.rows():
                lines.write(format_line(_make_cells(job.columns, row)))
                into.write(lines.getvalue().encode())
                lines.seek(0)
                lines.truncate()
            into.write(lines.getvalue().encode())


def _make_heading(columns: tuple[Column, ...]) -> Iterator[str]:
    for column in columns:
        yield column.name
        if column.type is ColumnType.BYTES:
            yield f"{column.name}_b64"


def _make_cells(columns: tuple[Column, ...], row: Row) -> Iterator[Any]:
    for column, value in zip(columns, row.values, strict=True):
        if column.type is ColumnType.BYTES:
            yield "" if value is None or value.text is None else neutralise(value.text)
            yield "" if value is None or value.text is not None else encode_base64(value)
        else:
            yield _make_cell(column, value)


def _make_cell(column: Column, value: Any) -> Any:
    match column.type:
        case ColumnType.TEXT:
            return None if value is None else neutralise(value)
        case ColumnType.JSON:
            return None if value is None else neutralise(value.decode())
        case ColumnType.TIME:
            return format_time(value)
        case ColumnType.BOOLEAN:
            return None if value is None else str(value).lower()
        case _:
            return value


def neutralise(text: str) -> str:
    return f"'{text}" if text.lstrip(_INVISIBLE).startswith(_FORMULA) else text


def format_line(cells: Iterable[Any]) -> str:
    """As the `csv` module writes it, but with quotation marks around each text that has a `;` or a tab."""
    line = ",".join(map(_format_cell, cells))
    return f"{line or _EMPTY}\r\n"


def _format_cell(cell: Any) -> str:
    if not isinstance(cell, str):
        return "" if cell is None else str(cell)
    if not _finds_quoted(cell):
        return cell
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'
