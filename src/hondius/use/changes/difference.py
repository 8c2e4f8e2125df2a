"""What changed in the text of a page between two visits (R6)."""

from collections.abc import Sequence
from difflib import unified_diff
from typing import Any

import msgspec

from hondius.crawler.translation import make_identity
from hondius.errors import HondiusError, WrongUse
from hondius.hints import quote_command
from hondius.native import NativeError, Page
from hondius.opening import Crawl
from hondius.use.changes.change import format_time
from hondius.use.changes.judging import PRESENT
from hondius.use.content import Contents

CONTEXT = 1
"""Unchanged lines around each change."""
MOST_COMPARED = 25_000_000
"""Pairs of lines that are compared. Beyond that, all lines from the first change to the last are shown as changed."""

Row = dict[str, Any]


class Difference(msgspec.Struct, frozen=True):
    url: str
    before: str
    """When the older text arrived, in UTC."""
    after: str
    is_change: bool
    """False if nothing differs but what changes by itself: dates of the page, counters, teasers (R3)."""
    lines: list[str]
    """The difference, a line each: `-` for removed ones, `+` for added ones, a space for those around them. A line is
    a paragraph, a heading, a cell of a table. Empty if the texts are equal."""


def compare_visits(crawl: Crawl, href: str, before: float | None = None, after: float | None = None) -> Difference:
    """The text as it was at `after` (None: now) against that at `before` (None: the last other one). Raises WrongUse if
    the page was not visited twice by then, and HondiusError if a body is missing."""
    try:
        url = make_identity(crawl.settings).parse(href)
    except NativeError as error:
        raise WrongUse(f"{href} is no URL: {error}") from None
    row = crawl.catalog.page(url.key)
    visits = [] if row is None else [visit for visit in crawl.catalog.fetches(url.key) if visit["outcome"] in PRESENT]
    if row is None or not visits:
        raise WrongUse(f"{crawl.name} has no answer of {href}: {quote_command('explain', crawl.name, href)} says why")
    newer = _find_visit(visits, after)
    older = _find_visit(visits, before) if before is not None else _find_other(visits, newer)
    if newer is None or older is None or older["ended_at"] >= newer["ended_at"]:
        seen = ", ".join(format_time(visit["ended_at"]) for visit in visits[-10:])
        raise WrongUse(f"{href} has no two visits to compare by then; it was visited at {seen}")
    pages = [_read(crawl, {**row, **visit}) for visit in (older, newer)]
    return Difference(
        url=row["url"],
        before=format_time(older["ended_at"]),
        after=format_time(newer["ended_at"]),
        is_change=pages[0].change_hash != pages[1].change_hash,
        lines=_list_differences(*map(_list_lines, pages)),
    )


def _find_visit(visits: Sequence[Row], at: float | None) -> Row | None:
    """The last one at that time; None: there was none yet."""
    return next((visit for visit in reversed(visits) if at is None or visit["ended_at"] <= at), None)


def _find_other(visits: Sequence[Row], newer: Row | None) -> Row | None:
    """The last visit before with another body, otherwise the last visit before."""
    if newer is None:
        return None
    earlier = [visit for visit in visits if visit["ended_at"] < newer["ended_at"]]
    others = [visit for visit in earlier if visit["content_hash"] != newer["content_hash"]]
    return next(reversed(others or earlier), None)


def _read(crawl: Crawl, row: Row) -> Page:
    page = Contents(crawl).analyse(row)
    if page is None:
        raise HondiusError(
            f"the text of {row['url']} of {format_time(row['ended_at'])} cannot be read: it is no text, or its body "
            "was not stored, or was removed since"
        )
    return page


def _list_lines(page: Page) -> list[str]:
    return (page.compared_text or page.text).splitlines()


def _list_differences(old: list[str], new: list[str]) -> list[str]:
    first = _count_equal(old, new)
    last = _count_equal(old[first:][::-1], new[first:][::-1])
    removed, added = old[first : len(old) - last], new[first : len(new) - last]
    if len(removed) * len(added) > MOST_COMPARED:
        return [*(f"-{line}" for line in removed), *(f"+{line}" for line in added)]
    around, end = max(0, first - CONTEXT), min(last, CONTEXT) - last
    compared = unified_diff(old[around : len(old) + end], new[around : len(new) + end], n=CONTEXT, lineterm="")
    return [line for line in list(compared)[2:] if not line.startswith("@@")]


def _count_equal(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines at the beginning are equal."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(old), len(new)))
