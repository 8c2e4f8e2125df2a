"""The filters of `crawl.pages(...)`: as a user writes them, and as they hold for one row."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from hondius.model import PageFilter, State
from hondius.url_pattern import UrlPattern
from hondius.usage import is_reserved
from hondius.use.content import Row
from hondius.use.selection import select_pages

WITH_CONTENT = (State.COMPLETED.value, State.DUPLICATE.value)
ANY_STATE = "any"


class Filters(TypedDict, total=False):
    """All given conditions must hold; of several values of one condition, one must match."""

    host: str | Sequence[str]
    """A host name; `*.example.com` is every host below example.com."""
    language: str | Sequence[str]
    """A language tag: `en` also matches `en-GB`."""
    status: int | str | Sequence[int | str]
    """An HTTP status such as 200, or `4xx`."""
    since: datetime | float | None
    """Fetched last at this time or later; a number is seconds since the epoch."""
    until: datetime | float | None
    """Fetched last before this time."""
    states: str | Sequence[str]
    """Final states, or `any`. By default those of pages with content: completed, duplicate."""
    pattern: str
    """A regular expression that matches anywhere in the URL."""
    copies: bool
    """False leaves out copies of other pages."""
    noindex: bool
    """True includes pages that ask not to be indexed."""
    kind: str
    """`page`, the default, or `sitemap`."""
    purpose: str
    """`search`, `ai-input` or `ai-train`: leaves out pages that their owners reserve for that use."""


def make_filter(filters: Filters) -> PageFilter:
    """Raises BadSetting for a value that no page can have."""
    states = _list_texts(filters.get("states", WITH_CONTENT))
    status = filters.get("status", ())
    return select_pages(
        hosts=_list_texts(filters.get("host", ())),
        match=filters.get("pattern", ""),
        since=_to_seconds(filters.get("since")),
        until=_to_seconds(filters.get("until")),
        statuses=[status] if isinstance(status, int | str) else list(status),
        languages=_list_texts(filters.get("language", ())),
        states=() if ANY_STATE in states else states,
        kinds=(filters.get("kind", "page"),),
        copies=filters.get("copies", True),
        noindex=filters.get("noindex", False),
        purpose=filters.get("purpose", ""),
    )


class RowFilter:
    """Decides about one row what the catalog decides in SQL: for pages that come from the log."""

    def __init__(self, selected: PageFilter) -> None:
        self._selected = selected
        self._pattern = UrlPattern(selected.pattern) if selected.pattern else None

    def matches(self, row: Row) -> bool:
        wanted = self._selected
        return (
            (not wanted.states or row["state"] in wanted.states)
            and (not wanted.kinds or row["kind"] in wanted.kinds)
            and (wanted.copies or row["state"] != State.DUPLICATE)
            and (wanted.noindex or not row["noindex"])
            and (not wanted.hosts or any(_is_host(row["host"], host) for host in wanted.hosts))
            and (not wanted.languages or any(_is_language(row["language"], tag) for tag in wanted.languages))
            and (not wanted.statuses or any(_is_between(row["status"], *range_) for range_ in wanted.statuses))
            and _is_in_span(row["last_fetched_at"], wanted.since, wanted.until)
            and (self._pattern is None or self._pattern.matches(row["url"]))
            and not (wanted.purpose and is_reserved(row["usage"], wanted.purpose))
        )


def _is_host(host: str, wanted: str) -> bool:
    return host.endswith(wanted[1:]) if wanted.startswith("*.") else host == wanted


def _is_language(language: str, tag: str) -> bool:
    return f"{_lower(language)}-".startswith(f"{_lower(tag)}-")


def _lower(tag: str) -> str:
    return tag.lower().replace("_", "-")


def _is_between(status: int | None, first: int, last: int) -> bool:
    return status is not None and first <= status <= last


def _is_in_span(at: float | None, since: float | None, until: float | None) -> bool:
    if since is None and until is None:
        return True
    return at is not None and (since is None or at >= since) and (until is None or at < until)


def _list_texts(value: str | Sequence[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _to_seconds(at: datetime | float | None) -> float | None:
    return at.timestamp() if isinstance(at, datetime) else at
