"""A page filter, as it holds for one row."""

from hondius.model import NOT_MODIFIED, WITH_CONTENT, PageFilter, State
from hondius.url_pattern import UrlPattern
from hondius.usage import is_reserved
from hondius.use.content import Row


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
            and (not wanted.statuses or _has_status(row, wanted))
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


def _has_status(row: Row, wanted: PageFilter) -> bool:
    status = row["status"]
    if wanted.includes_confirmed and status == NOT_MODIFIED and row["state"] in WITH_CONTENT:
        return True
    return status is not None and any(first <= status <= last for first, last in wanted.statuses)


def _is_in_span(at: float | None, since: float | None, until: float | None) -> bool:
    if since is None and until is None:
        return True
    return at is not None and (since is None or at >= since) and (until is None or at < until)
