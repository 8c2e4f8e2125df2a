"""Converts a page of the catalog to a row."""

from datetime import UTC, datetime
from typing import Any

Row = dict[str, Any]


def make_row(page: Row) -> Row:
    """`simhash` is 16 hex digits: many JSON readers round 64-bit numbers."""
    return {
        "url": page["url"],
        "key_form": page["key_form"],
        "kind": page["kind"],
        "host": page["host"],
        "state": page["state"],
        "cause": page["cause"],
        "status": page["status"],
        "title": page["title"],
        "fetched_at": None if page["last_fetched_at"] is None else _format_time(page["last_fetched_at"]),
        "warc": _make_location(page),
        "type": page["type"],
        "language": page["language"],
        "simhash": None if page["simhash"] is None else f"{page['simhash']:016x}",
        "depth": page["depth"],
        "redirect_to": page["redirect_to"],
        "copy_of": page["copy_of"],
        "truncated": page["truncated"],
        "noindex": page["noindex"],
    }


def _make_location(page: Row) -> Row | None:
    if page["warc_file"] is None:
        return None
    return {"file": page["warc_file"], "offset": page["warc_offset"], "length": page["warc_length"]}


def _format_time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
