"""A page of the catalog as a row."""

from datetime import UTC, datetime
from typing import Any

Row = dict[str, Any]


def row_of(page: Row) -> Row:
    """`simhash` is 16 hex digits, as everywhere in JSON: a number of 64 bits is not exact to every reader of it."""
    return {
        "url": page["url"],
        "key_form": page["key_form"],
        "kind": page["kind"],
        "host": page["host"],
        "state": page["state"],
        "cause": page["cause"],
        "status": page["status"],
        "title": page["title"],
        "fetched_at": None if page["last_fetched_at"] is None else _iso(page["last_fetched_at"]),
        "warc": _place(page),
        "type": page["type"],
        "language": page["language"],
        "simhash": None if page["simhash"] is None else f"{page['simhash']:016x}",
        "depth": page["depth"],
        "redirect_to": page["redirect_to"],
        "copy_of": page["copy_of"],
        "truncated": page["truncated"],
        "noindex": page["noindex"],
    }


def _place(page: Row) -> Row | None:
    if page["warc_file"] is None:
        return None
    return {"file": page["warc_file"], "offset": page["warc_offset"], "length": page["warc_length"]}


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
