"""The filters of `crawl.pages(...)`, and the conditions of `crawl.search(...)`, as a user writes them."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time
from typing import Any, TypedDict

from hondius.clock import SystemClock
from hondius.errors import BadSetting
from hondius.model import WITH_CONTENT, PageFilter
from hondius.quantities import parse_moment
from hondius.use.selection import select_pages

ANY_STATE = "any"
OTHER_NAMES = {"state": "states", "lang": "language", "match": "pattern", "include": "pattern", "for": "purpose"}
"""What users write for a filter: the options of `hondius export`, and abbreviations."""
MOST_SECONDS = 1e12
"""Seconds since the epoch, or before it: 30,000 years."""
Moment = datetime | date | float | str | None


class Filters(TypedDict, total=False):
    """All given conditions must hold; of several values of one condition, one must match."""

    host: str | Sequence[str]
    """A host name; `*.example.com` is every host below example.com."""
    language: str | Sequence[str]
    """A language tag: `en` also matches `en-GB`."""
    status: int | str | Sequence[int | str]
    """An HTTP status such as 200, or `4xx`. Selects URLs of any state, unless `states` is given, too. 200 and `2xx`
    also select pages with content whose last answer was a 304, which confirms the content."""
    since: Moment
    """Fetched last at this time or later: a datetime, a date, a text such as `-2h` or `2026-11-15T08:30`, or seconds
    since the epoch. Dates and texts without an offset are in UTC."""
    until: Moment
    """Fetched last before this time."""
    states: str | Sequence[str]
    """Final states, or `any`. By default those of pages with content: completed, duplicate; with `status`, any."""
    pattern: str
    """A regular expression that matches anywhere in the URL."""
    copies: bool
    """False leaves out copies of other pages that the filter selects."""
    noindex: bool
    """True includes pages that ask not to be indexed."""
    kind: str
    """`page`, the default, `sitemap` or `requisite`."""
    purpose: str
    """`search`, `ai-input` or `ai-train`: leaves out pages that their owners reserve for that use."""


def make_filter(filters: Filters) -> PageFilter:
    """Raises BadSetting for an unknown name, a value of another type, or one that no page can have."""
    _refuse_unknown_names(filters)
    statuses = _list_values("status", filters.get("status"), (int, str))
    states = _list_texts("states", filters.get("states")) or ((ANY_STATE,) if statuses else WITH_CONTENT)
    return select_pages(
        hosts=_list_texts("host", filters.get("host")),
        match=_check_text("pattern", filters.get("pattern")) or "",
        since=_to_seconds("since", filters.get("since")),
        until=_to_seconds("until", filters.get("until")),
        statuses=statuses,
        languages=_list_texts("language", filters.get("language")),
        states=() if ANY_STATE in states else states,
        kinds=(_check_text("kind", filters.get("kind")) or "page",),
        copies=_check_truth("copies", filters.get("copies", True)),
        noindex=_check_truth("noindex", filters.get("noindex", False)),
        purpose=_check_text("purpose", filters.get("purpose")) or "",
    )


def make_conditions(
    *,
    host: str | Sequence[str],
    language: str | Sequence[str],
    before: Moment,
    after: Moment,
    copies: bool,
    purpose: str,
) -> dict[str, Any]:
    """Those of `Search.find`. Raises BadSetting for a value of another type."""
    return {
        "hosts": _list_texts("host", host),
        "languages": _list_texts("language", language),
        "before": _to_seconds("before", before),
        "after": _to_seconds("after", after),
        "copies": _check_truth("copies", copies),
        "purpose": _check_text("purpose", purpose) or "",
    }


def _refuse_unknown_names(filters: Mapping[str, Any]) -> None:
    """A filter that is ignored would select too many pages: with a misspelt `purpose`, reserved ones."""
    known = Filters.__annotations__
    for name in filters:
        if name not in known:
            close = [OTHER_NAMES[name]] if name in OTHER_NAMES else difflib.get_close_matches(name, known, n=1)
            some = f"; did you mean {close[0]}?" if close else f": there are {', '.join(known)}"
            raise BadSetting(f"{name} is not a filter of pages{some}")


def _list_texts(name: str, value: Any) -> list[str]:
    return _list_values(name, value, (str,))


def _list_values(name: str, value: Any, types: tuple[type, ...]) -> list[Any]:
    """One value or several of them; None is none."""
    if value is None:
        return []
    values = list(value) if isinstance(value, Iterable) and not isinstance(value, str | bytes) else [value]
    if any(not isinstance(one, types) or isinstance(one, bool) for one in values):
        expected = "a text" if types == (str,) else "a number or a text"
        raise BadSetting(f"{name}={value!r} is no filter: give {expected}, or a list of them")
    return values


def _check_text(name: str, value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise BadSetting(f"{name}={value!r} is no filter: give a text")


def _check_truth(name: str, value: Any) -> bool:
    """A text such as "no" would count as true."""
    if isinstance(value, bool):
        return value
    raise BadSetting(f"{name}={value!r} is no filter: give True or False")


def _to_seconds(name: str, at: Any) -> float | None:
    match at:
        case None:
            return None
        case str():
            return parse_moment(at, name, SystemClock().now())
        case date():
            moment = at if isinstance(at, datetime) else datetime.combine(at, time(), UTC)
            with suppress(ValueError, OverflowError):  # a year that the system's calendar does not have
                return moment.timestamp()
        case int() | float() if not isinstance(at, bool) and abs(at) <= MOST_SECONDS:
            return float(at)
    raise BadSetting(f"{name}={at!r} is no time: give a datetime, a date, seconds since the epoch or a text like -2h")
