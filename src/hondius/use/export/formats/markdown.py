"""A Markdown file for each page of text: YAML front matter, then the main text.

The values of the front matter are written as JSON, which is also YAML: no title can break out of it.
"""

import json
import re
from typing import Any

from msgspec.structs import replace

from hondius.errors import BadSetting
from hondius.model import PageFilter, State
from hondius.use.content import has_deep_text
from hondius.use.export.columns import Column, ColumnType, find_columns
from hondius.use.export.formats.file_names import make_file_name
from hondius.use.export.formats.format import Job, Partition
from hondius.use.export.plain import format_time
from hondius.use.export.rows import Row, RowReader
from hondius.use.export.targets import Target

_TEXT = find_columns(["markdown"])
_NOT_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that JSON allows and YAML does not, or reads as line ends."""
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Without tab and line feed. A terminal that shows the file would obey the others."""


class MarkdownFormat:
    name = "markdown"
    suffixes: tuple[str, ...] = ()
    columns = (
        *("url", "title", "description", "language", "fetched_at", "status", "type", "host", "canonical", "depth"),
        *("content_hash", "copy_of", "usage"),
    )
    """Of the front matter."""
    unit = "page"
    is_binary = False

    def check(self) -> None:
        """Needs no package."""

    def makes_directory(self, partition_by: Partition | None) -> bool:
        if partition_by is not None:
            raise BadSetting("--partition-by needs --format parquet; markdown always has a directory for each host")
        return True

    def narrow(self, selected: PageFilter, *, noindex: bool, copies: bool | None) -> PageFilter:
        """Only pages that may have a text; without copies, unless they are asked for."""
        analysed = (State.COMPLETED.value, State.DUPLICATE.value)
        states = tuple(state for state in selected.states if state in analysed) if selected.states else analysed
        if not states:
            raise BadSetting("only pages that are completed or duplicate have a text: choose one of these with --state")
        asks_for_copies = copies or State.DUPLICATE.value in selected.states
        return replace(
            selected,
            states=states,
            kinds=("page",),
            copies=selected.copies and bool(asks_for_copies),
            noindex=selected.noindex and noindex,
        )

    def write(self, job: Job, target: Target) -> None:
        columns = (*job.columns, *_TEXT)
        for row in RowReader(job.crawl, columns, noindex=job.noindex).read(job.selected, leave_out=job.tally.leave_out):
            if not has_deep_text(row.page):
                continue
            if not row.values[-1] and not row.is_damaged:
                job.tally.empty += 1
                continue
            _write_page(target, job.columns, row)
            job.tally.count(row.page["url"], is_damaged=row.is_damaged)


def _write_page(target: Target, columns: tuple[Column, ...], row: Row) -> None:
    *values, text = row.values
    front = [
        f"{column.name}: {_format_value(column, value)}\n"
        for column, value in zip(columns, values, strict=True)
        if value is not None and value != ""
    ]
    with target.open(make_file_name(row.page["host"], row.page["url"], row.page["key"])) as file:
        file.write("".join(["---\n", *front, "---\n\n", _CONTROL.sub("", text or "").rstrip("\n"), "\n"]).encode())


def _format_value(column: Column, value: Any) -> str:
    match column.type:
        case ColumnType.TIME:
            value = format_time(value)
        case ColumnType.JSON:
            value = _read_json(value)
        case ColumnType.BYTES:
            value = value.text
    return _NOT_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def _read_json(value: bytes) -> Any:
    """None for what Python cannot hold, such as a number of thousands of digits: a stranger may have stored it."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None
