"""Writes the rows of a query as JSON lines, CSV or Parquet."""

import io
from collections.abc import Callable
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, BinaryIO

import msgspec

from hondius.errors import BadSetting, HondiusError
from hondius.use.export.arrow import load_arrow
from hondius.use.export.formats.csv import format_line, neutralise
from hondius.use.export.plain import format_time
from hondius.use.extras import import_extra
from hondius.use.output import compress
from hondius.use.sql.running import QueryRows, list_rows

FORMATS = ("table", "jsonl", "csv", "parquet")
SUFFIXES = {
    "jsonl": (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz"),
    "csv": (".csv", ".csv.gz"),
    "parquet": (".parquet",),
}
Write = Callable[[QueryRows, BinaryIO], int]


def choose_format(named: str | None, output: str | None) -> str:
    """By its name, otherwise by the name of the output. Raises BadSetting."""
    if named is not None:
        if named not in FORMATS:
            raise BadSetting(f"unknown format {named}; choose from {', '.join(FORMATS)}")
        return named
    if output is None:
        return "table"
    form = next((form for form, suffixes in SUFFIXES.items() if output.endswith(suffixes)), None)
    if form is None and (suffix := PurePosixPath(output).suffix):
        raise BadSetting(
            f"no format has files that end in {suffix}: end -o {output} in .jsonl, .csv or .parquet, or add --format"
        )
    return form or "jsonl"


def write_rows(rows: QueryRows, form: str, file: BinaryIO, name: str) -> int:
    """Returns the number of rows. A file whose name ends in .gz is compressed."""
    if form == "parquet":
        return _write_parquet(rows, file)
    with compress(file, name) as into:
        return _write_csv(rows, into) if form == "csv" else _write_json_lines(rows, into)


def make_plain(value: Any) -> Any:
    """A value of JSON. Times are written as exports write them."""
    match value:
        case datetime():
            return value.isoformat() if value.tzinfo is None else format_time(value.timestamp())
        case dict():
            return {str(key): make_plain(one) for key, one in value.items()}
        case tuple() if hasattr(value, "nanoseconds"):
            return _format_interval(value)
        case list() | tuple():
            return [make_plain(one) for one in value]
        case None | bool() | int() | float() | str() | bytes():
            return value
        case _:
            return str(value)


def _format_interval(interval: Any) -> str:
    """As ISO 8601 writes it: `P1M2DT3.5S`."""
    seconds = f"{interval.nanoseconds / 1e9:.9f}".rstrip("0").rstrip(".")
    parts = ((f"{interval.months}M", interval.months), (f"{interval.days}D", interval.days))
    return f"P{''.join(text for text, count in parts if count)}T{seconds}S"


def _write_json_lines(rows: QueryRows, into: BinaryIO) -> int:
    encoder, count = msgspec.json.Encoder(), 0
    for batch in rows:
        for row in list_rows(batch):
            into.write(encoder.encode(make_plain(row)) + b"\n")
        count += batch.num_rows
    return count


def _write_csv(rows: QueryRows, into: BinaryIO) -> int:
    lines, count = io.StringIO(), 0
    lines.write(format_line(map(neutralise, rows.schema.names)))
    for batch in rows:
        for row in list_rows(batch):
            lines.write(format_line(map(_make_cell, row.values())))
        count += batch.num_rows
        into.write(lines.getvalue().encode())
        lines.seek(0)
        lines.truncate()
    into.write(lines.getvalue().encode())
    return count


def _make_cell(value: Any) -> Any:
    plain = make_plain(value)
    match plain:
        case None | int() | float() if not isinstance(plain, bool):
            return plain
        case str():
            return neutralise(plain)
        case _:
            return neutralise(msgspec.json.encode(plain).decode().strip('"'))


def _write_parquet(rows: QueryRows, file: BinaryIO) -> int:
    parquet: Any = import_extra("pyarrow.parquet", "sql", "makes Parquet files")
    count = 0
    try:
        writing = parquet.ParquetWriter(file, rows.schema, compression="zstd")
    except load_arrow().ArrowException as error:
        raise HondiusError(
            f"a column of the query has no form in Parquet ({error}): select it as text, for example with ::VARCHAR"
        ) from error
    with writing as writer:
        for batch in rows:
            writer.write_batch(batch)
            count += batch.num_rows
    return count
