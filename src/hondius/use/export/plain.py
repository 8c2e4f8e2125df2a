"""Values of columns as plain values of JSON."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from hondius.use.export.columns import Column, ColumnType, encode_base64

JSON_COLUMNS = (
    *("url", "key_form", "kind", "host", "state", "cause", "status", "title", "fetched_at", "warc", "type"),
    *("language", "simhash", "depth", "redirect_to", "copy_of", "truncated", "noindex", "usage", "extracted"),
)
"""The default columns of JSON lines."""


def format_time(at: float | None) -> str | None:
    if at is None:
        return None
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def make_field(column: Column, value: Any) -> tuple[str, Any]:
    """Name and value of a field. A body that is not text has another name."""
    if value is None:
        return column.name, None
    match column.type:
        case ColumnType.TIME:
            return column.name, format_time(value)
        case ColumnType.JSON:
            return column.name, msgspec.Raw(value)
        case ColumnType.BYTES:
            return (f"{column.name}_b64", encode_base64(value)) if value.text is None else (column.name, value.text)
        case _:
            return column.name, value
