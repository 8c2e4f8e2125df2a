"""Apache Parquet, compressed with zstd: one file, or a directory with a file for each host or day.

A directory is laid out as Hive does it (`host=example.com/part-0.parquet`), which DuckDB, polars, Spark and pyarrow
read as one table.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256
from itertools import groupby
from typing import Any
from urllib.parse import quote

from hondius.errors import BadSetting
from hondius.model import PageFilter
from hondius.use.export.arrow import DEFAULT_COLUMNS, load_arrow, make_batches, make_schema
from hondius.use.export.columns import Column
from hondius.use.export.formats.format import Job, Partition
from hondius.use.export.formats.table import leave_out_requisites
from hondius.use.export.rows import Row
from hondius.use.export.targets import Target
from hondius.use.extras import import_extra

LONGEST_VALUE = 200
LONGEST_CUT = 100
NO_DAY = "never"
"""The day of URLs that were never fetched. Hive's own name for no value makes pandas fail."""


class ParquetFormat:
    name = "parquet"
    suffixes = (".parquet",)
    columns = DEFAULT_COLUMNS
    unit = "row"
    is_binary = True

    def check(self) -> None:
        load_arrow()

    def makes_directory(self, partition_by: Partition | None) -> bool:
        return partition_by is not None

    def narrow(self, selected: PageFilter, *, noindex: bool, copies: bool | None) -> PageFilter:
        """A page that asks not to be indexed has a row, without its content (D4)."""
        return leave_out_requisites(selected)

    def write(self, job: Job, target: Target) -> None:
        if job.partition_by is None:
            return _write_file(target, target.main, job.rows(), job.columns)
        return _write_partitions(job, job.partition_by, target)


def _write_partitions(job: Job, partition_by: Partition, target: Target) -> None:
    """The column that names the directories is not repeated in the files."""
    kept = [column.name != partition_by for column in job.columns]
    columns = tuple(column for column, is_kept in zip(job.columns, kept, strict=True) if is_kept)
    if not columns:
        raise BadSetting(f"--partition-by {partition_by} leaves no column: name another one in --columns")
    for value, rows in groupby(job.rows(partition_by), lambda row: _partition_of(row, partition_by)):
        shortened = (Row(row.page, _keep(row.values, kept), row.is_withheld, row.is_damaged) for row in rows)
        _write_file(target, f"{partition_by}={_make_value(value)}/part-0.parquet", shortened, columns)


def _make_value(value: str) -> str:
    """The value in the name of a directory. A host may be longer than a name may be: it is cut, and a hash follows. `+`
    is in no quoted value, so no other host has that name."""
    quoted = quote(value, safe="")
    if len(quoted) <= LONGEST_VALUE:
        return quoted
    return f"{quoted[: quoted.rfind('.', 0, LONGEST_CUT) + 1]}+{sha256(value.encode()).hexdigest()}"


def _keep(values: tuple[Any, ...], kept: list[bool]) -> tuple[Any, ...]:
    return tuple(value for value, is_kept in zip(values, kept, strict=True) if is_kept)


def _partition_of(row: Row, partition_by: Partition) -> str:
    if partition_by == "host":
        return str(row.page["host"])
    at = row.page["last_fetched_at"]
    return NO_DAY if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")


def _write_file(target: Target, name: str, rows: Iterable[Row], columns: tuple[Column, ...]) -> None:
    """A batch is a row group."""
    parquet: Any = import_extra("pyarrow.parquet", "parquet", "makes Parquet files")
    with (
        target.open(name) as file,
        parquet.ParquetWriter(file, make_schema(columns), compression="zstd") as writer,
    ):
        for batch in make_batches(rows, columns):
            writer.write_batch(batch)
