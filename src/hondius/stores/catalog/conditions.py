"""Translates a `PageFilter` into SQL. The URL pattern is no part of it: `Tables.pages` applies it to the rows."""

from collections.abc import Iterator, Sequence
from typing import Any

from hondius.model import NOT_MODIFIED, WITH_CONTENT, PageFilter, PageOrder, State

_DAY = "CAST(last_fetched_at / 86400 AS INTEGER)"
ORDERS: dict[PageOrder, str] = {
    "key": "key",
    "host": "host, key",
    "day": f"{_DAY} IS NULL, {_DAY}, key",
    "archive": "warc_file IS NULL, warc_file, warc_offset, key",
}
"""Pages without a value come last."""

Part = tuple[str, Sequence[Any]]


def make_condition(selected: PageFilter) -> tuple[str, list[Any]]:
    """The condition of a WHERE clause, and its values."""
    parts = list(_make_parts(selected))
    values = [value for _, some in parts for value in some]
    return " AND ".join(f"({text})" for text, _ in parts) or "TRUE", values


def _make_parts(selected: PageFilter) -> Iterator[Part]:
    if selected.hosts:
        yield _any_of(map(_match_host, selected.hosts))
    if selected.since is not None:
        yield "last_fetched_at >= ?", (selected.since,)
    if selected.until is not None:
        yield "last_fetched_at < ?", (selected.until,)
    if selected.statuses:
        yield _any_of(_match_statuses(selected))
    if selected.languages:
        yield _any_of(map(_match_language, selected.languages))
    if selected.states:
        yield _is_one_of("state", selected.states)
    if selected.kinds:
        yield _is_one_of("kind", selected.kinds)
    if not selected.copies:
        yield "state <> ?", (State.DUPLICATE.value,)
    if not selected.noindex:
        yield "NOT noindex", ()


def _match_host(host: str) -> Part:
    if not host.startswith("*."):
        return "host = ?", (host,)
    suffix = host[1:]
    return "substr(host, ?) = ?", (-len(suffix), suffix)


def _match_statuses(selected: PageFilter) -> Iterator[Part]:
    yield from (("status BETWEEN ? AND ?", (first, last)) for first, last in selected.statuses)
    if selected.includes_confirmed:
        states, names = _is_one_of("state", WITH_CONTENT)
        yield f"status = ? AND {states}", (NOT_MODIFIED, *names)


def _match_language(tag: str) -> Part:
    """`en` is the beginning of `en-GB`, and of `en_GB`, which some pages write instead."""
    name = tag.lower().replace("_", "-")
    return "substr(replace(lower(language), '_', '-') || '-', 1, ?) = ?", (len(name) + 1, f"{name}-")


def _is_one_of(column: str, values: Sequence[str]) -> Part:
    return f"{column} IN ({', '.join('?' * len(values))})", [str(value) for value in values]


def _any_of(parts: Iterator[Part]) -> Part:
    texts, values = zip(*parts, strict=True)
    return " OR ".join(texts), [value for some in values for value in some]
