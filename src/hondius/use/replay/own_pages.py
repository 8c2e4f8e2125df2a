"""Our own pages: start, calendar, the page around an archived page, and notes."""

import calendar
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from urllib.parse import quote

from hondius.native import Url
from hondius.quantities import format_count, format_moment
from hondius.use.causes import explain_cause
from hondius.use.html_page import STYLE, render_document, show
from hondius.use.replay.listing import ListedPage
from hondius.use.replay.look import FRAME, OWN
from hondius.use.replay.timestamps import format_stamp
from hondius.use.replay.visits import Visit

DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
MOST_MONTHS = 60
"""Months that are drawn; a list has all visits."""
BOUNCE = "top.location.replace(location.href)"
KEEP_FRAGMENT = 'if (location.hash) document.querySelector("iframe").src += location.hash'


def render_start(name: str, prefix: str, pages: Sequence[ListedPage], count: int, more: bool) -> str:
    """`count`: how many pages have this prefix. `more`: whether some of them come after those listed."""
    rows = "".join(_make_page_row(page) for page in pages)
    head = "<tr><th>page</th><th>fetched (UTC)</th><th>status</th></tr>"
    found = f"{format_count(count, 'page')}{' at this address' if prefix else ''}"
    table = f'<table class="pages">{head}{rows}</table>' if rows else ""
    nothing = "" if rows else "<p>No archived page has an address that begins like this.</p>"
    return render_document(
        f"Replay of {name}",
        OWN,
        (
            _make_header(),
            f"<h1>{show(name)}</h1>",
            '<form action="/" method="get" role="search">'
            f'<input name="prefix" value="{show(prefix)}" placeholder="example.com/docs/" '
            'aria-label="The address begins with" autocapitalize="none" spellcheck="false">'
            "<button>Find</button></form>",
            f'<p class="soft small">{found}</p>',
            table or nothing,
            _make_next(prefix, pages) if more else "",
        ),
        policy=None,
    )


def render_calendar(url: str, visits: Sequence[Visit]) -> str:
    rows = "".join(_make_visit_row(visit, changed) for visit, changed in _mark_changes(visits))
    head = "<tr><th>fetched (UTC)</th><th>status</th><th></th></tr>"
    return render_document(
        f"Visits of {url}",
        OWN,
        (
            _make_header(),
            f"<h1>{show(url)}</h1>",
            f'<p class="soft">{format_count(len(visits), "visit")} in this crawl.</p>',
            f'<div class="months">{"".join(_make_months(visits))}</div>',
            f"<table>{head}{rows}</table>",
        ),
        policy=None,
    )


def render_view(visit: Visit, title: str, visits: Sequence[Visit], source: str, nonce: str) -> str:
    """The page around an archived page, which comes from `source`."""
    listed = f'<a href="/calendar/{show(visit.url)}">{format_count(len(visits), "visit")}</a>'
    steps = "".join(
        f'<a href="/view/{other.stamp}/{show(visit.url)}">{word}</a>' for word, other in _find_neighbours(visit, visits)
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{show(title or visit.url)} (replay)</title><style nonce="{nonce}">{STYLE}{FRAME}</style></head><body>'
        f'<div class="banner" role="banner"><a class="mark" href="/">Replay</a>'
        f'<span class="when">fetched {format_moment(visit.at)}</span>'
        f'<span class="address" title="{show(visit.url)}">{show(visit.url)}</span>{steps}{listed}</div>'
        f'<iframe title="The archived page" src="{show(source)}"></iframe>'
        f'<script nonce="{nonce}">{KEEP_FRAGMENT}</script></body></html>\n'
    )


def render_bounce(target: str, nonce: str) -> str:
    """Loaded in the frame when a link is followed: the page around it goes there instead."""
    return (
        f'<!doctype html><meta charset="utf-8"><title>Replay</title><script nonce="{nonce}">{BOUNCE}</script>'
        f'<p><a target="_top" href="{show(target)}">Open the archived page</a>'
    )


def render_note(title: str, text: str) -> str:
    return render_document(title, OWN, (_make_header(), f"<h1>{show(title)}</h1>", f"<p>{show(text)}</p>"), policy=None)


def describe_missing(url: Url, row: dict[str, object] | None) -> str:
    """Why nothing of a URL can be shown."""
    if row is None:
        return f"{url.href} is not in this crawl."
    cause = str(row["cause"])
    words = explain_cause(cause, str(row["detail"])).words if cause else ""
    return f"Nothing of {url.href} is in the archive. It ended as {row['state']}{f': {words}' if words else ''}."


def _make_header() -> str:
    words = '<span class="soft small">a crawl, as it was archived</span>'
    return f'<header><a class="mark" href="/">Replay</a>{words}</header>'


def _make_page_row(page: ListedPage) -> str:
    address = f'<span class="url">{show(page.url)}</span>' if page.title else ""
    return (
        f'<tr><td><a href="/view/{format_stamp(page.at)}/{show(page.url)}">{show(page.title or page.url)}</a>'
        f"{address}</td>"
        f'<td class="when">{_format_minute(page.at)}</td><td class="status">{_show_status(page.status)}</td></tr>'
    )


def _make_visit_row(visit: Visit, changed: str) -> str:
    when = f'<a href="/view/{visit.stamp}/{show(visit.url)}">{format_moment(visit.at)[:-1]}</a>'
    to = f"to {show(visit.redirect_to)}" if visit.redirect_to else changed
    return f'<tr><td class="when">{when}</td><td class="status">{_show_status(visit.status)}</td><td>{to}</td></tr>'


def _make_next(prefix: str, pages: Sequence[ListedPage]) -> str:
    query = f"prefix={quote(prefix)}&amp;after={quote(pages[-1].url, safe='')}"
    return f'<p class="next"><a href="/?{query}">More pages</a></p>'


def _mark_changes(visits: Sequence[Visit]) -> Iterator[tuple[Visit, str]]:
    """Newest first, each with what is new about it."""
    hashes = [None, *(visit.row["content_hash"] for visit in visits)]
    marks = [_compare(before, after) for before, after in pairwise(hashes)]
    return reversed(list(zip(visits, marks, strict=True)))


def _compare(before: bytes | None, after: bytes | None) -> str:
    if before is None or after is None:
        return ""
    return "unchanged" if before == after else "changed"


def _find_neighbours(visit: Visit, visits: Sequence[Visit]) -> Iterator[tuple[str, Visit]]:
    earlier = [other for other in visits if other.at < visit.at]
    later = [other for other in visits if other.at > visit.at]
    if earlier:
        yield "‹ earlier", earlier[-1]
    if later:
        yield "later ›", later[0]


def _make_months(visits: Iterable[Visit]) -> Iterator[str]:
    """A calendar of each month with visits, the newest first. A day leads to its last visit."""
    days: dict[tuple[int, int], dict[int, list[Visit]]] = defaultdict(lambda: defaultdict(list))
    for visit in visits:
        day = datetime.fromtimestamp(visit.at, UTC)
        days[day.year, day.month][day.day].append(visit)
    for year, month in sorted(days, reverse=True)[:MOST_MONTHS]:
        yield _make_month(year, month, days[year, month])


def _make_month(year: int, month: int, days: dict[int, list[Visit]]) -> str:
    head = "".join(f"<th>{day}</th>" for day in DAYS)
    weeks = "".join(
        f"<tr>{''.join(f'<td>{_make_day(day, days.get(day, []))}</td>' for day in week)}</tr>"
        for week in calendar.Calendar().monthdayscalendar(year, month)
    )
    name = f"{calendar.month_name[month]} {year}"
    return f'<section class="month"><h3>{name}</h3><table><tr>{head}</tr>{weeks}</table></section>'


def _make_day(day: int, visits: Sequence[Visit]) -> str:
    if not day:
        return ""
    if not visits:
        return str(day)
    last = visits[-1]
    title = format_count(len(visits), "visit")
    return f'<a href="/view/{last.stamp}/{show(last.url)}" title="{title}">{day}</a>'


def _show_status(status: int) -> str:
    look = "good" if 200 <= status < 300 else "bad" if status >= 400 else ""
    return f'<span class="{look}">{status}</span>'


def _format_minute(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}"
