"""JSON lines: one object a line for every URL that has ended."""

from typing import Any

import msgspec

from hondius.use.export.columns import Column
from hondius.use.export.formats.format import Job
from hondius.use.export.formats.table import RowFormat
from hondius.use.export.plain import JSON_COLUMNS, make_field
from hondius.use.export.rows import Row
from hondius.use.export.targets import Target
from hondius.use.output import compress


class JsonLines(RowFormat):
    name = "jsonl"
    suffixes = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
    columns = JSON_COLUMNS

    def write(self, job: Job, target: Target) -> None:
        encoder = msgspec.json.Encoder()
        with target.open(target.main) as file, compress(file, target.main) as into:
            for row in job.rows():
                into.write(encoder.encode(_make_object(job.columns, row)) + b"\n")


def _make_object(columns: tuple[Column, ...], row: Row) -> dict[str, Any]:
    """Without the content of a page that is withheld."""
    return dict(
        make_field(column, value)
        for column, value in zip(columns, row.values, strict=True)
        if not (column.is_content and row.is_withheld)
    )
