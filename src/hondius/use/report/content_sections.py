"""Sections of the report: hosts, content, copies, and what owners allow."""

from collections.abc import Sequence

from hondius.hints import format_command
from hondius.quantities import format_bytes, format_count, format_seconds
from hondius.use.html_page import show, show_link
from hondius.use.report.charts import format_share, render_bars, render_parts
from hondius.use.report.facts import CopiedPage, Copies, CrawlReport, Freshness, LargePage, SlowHost, Wish
from hondius.use.report.sections import describe_cut

SHOWN_NAMES = 12
"""Rows of a table of types, languages and so on; `--json` has all."""
SHOWN_LARGE = 10
LOOKS = {"allowed": "fine", "unstated": "quiet", "left out": "danger"}


def render_hosts(hosts: Sequence[SlowHost], contacted: int) -> str:
    if not hosts:
        return "<p>No host has answered.</p>"
    rows = "".join(map(_render_host, hosts))
    head = (
        '<tr><th>host</th><th class="n">average answer</th><th class="n">answers</th><th class="n">failed</th>'
        '<th class="n">received</th><th class="n">Crawl-delay</th></tr>'
    )
    cut = describe_cut(len(hosts), contacted)
    return f'<p>The slowest first.</p><div class="wide"><table>{head}{rows}</table></div>{cut}'


def _render_host(host: SlowHost) -> str:
    delay = format_seconds(host.crawl_delay) if host.crawl_delay else "–"
    return (
        f'<tr><td>{show(host.host)}</td><td class="n">{format_duration(host.seconds)}</td>'
        f'<td class="n">{host.fetched:,}</td><td class="n">{host.failed:,}</td>'
        f'<td class="n">{format_bytes(host.bytes)}</td><td class="n">{delay}</td></tr>'
    )


def render_content(report: CrawlReport) -> str:
    tables = (
        ("Types", render_bars(report.types[:SHOWN_NAMES], "media type")),
        ("Languages", render_bars(report.languages[:SHOWN_NAMES], "language")),
        ("Sizes of bodies", render_bars(report.sizes, "decoded")),
        ("Status codes", render_bars(report.statuses[:SHOWN_NAMES], "status", "URLs")),
        ("Links from a seed", render_bars(report.depths[:SHOWN_NAMES], "depth")),
    )
    shown = "".join(f"<div><h3>{name}</h3>{table}</div>" for name, table in tables if table)
    total = report.totals
    text = (
        f"<p>{format_count(total.pages, 'page')} with content; all bodies together have "
        f"{format_bytes(total.body_bytes)}, and {format_bytes(total.wire_bytes)} were received.</p>"
    )
    return f'{text}<div class="columns">{shown}</div>{_render_largest(report.largest[:SHOWN_LARGE])}'


def _render_largest(pages: Sequence[LargePage]) -> str:
    rows = "".join(
        f"<tr><td>{show_link(page.url)}</td><td>{show(page.type)}</td>"
        f'<td class="n">{format_bytes(page.bytes)}</td></tr>'
        for page in pages
    )
    if not rows:
        return ""
    return f'<h3>Largest pages</h3><table><tr><th>URL</th><th>type</th><th class="n">body</th></tr>{rows}</table>'


def render_copies(copies: Copies, near: Copies) -> str:
    return _render_exact_copies(copies) + _render_near_copies(near)


def _render_near_copies(near: Copies) -> str:
    if not near.pages:
        return ""
    rows = "".join(map(_render_copied, near.listed))
    says = "page says" if near.pages == 1 else "pages say"
    return (
        f"<h3>Near copies</h3><p>{near.pages:,} {says} nearly the same as another page of the crawl.</p>"
        f'<table><tr><th>first page, and near copies of it</th><th class="n">near copies</th></tr>{rows}</table>'
        f"{describe_cut(sum(one.copies for one in near.listed), near.pages)}"
    )


def _render_exact_copies(copies: Copies) -> str:
    if not copies.pages:
        return "<p>No page is an exact copy of another one.</p>"
    rows = "".join(map(_render_copied, copies.listed))
    are = "page is an exact copy" if copies.pages == 1 else "pages are exact copies"
    return (
        f"<p>{copies.pages:,} {are} of another page: the same bytes under another URL.</p>"
        f'<table><tr><th>original, and copies of it</th><th class="n">copies</th></tr>{rows}</table>'
        f"{describe_cut(sum(one.copies for one in copies.listed), copies.pages)}"
    )


def render_freshness(freshness: Freshness) -> str:
    if freshness.fresh is None or freshness.weighted_fresh is None:
        return "<p>No page is to be fetched again.</p>"
    budget = "without a budget"
    if freshness.visits_per_day is not None:
        budget = f"with a budget of {format_count(freshness.visits_per_day, 'visit')} a day"
    text = (
        f"<p>{format_count(freshness.pages, 'page')} to be fetched again, {budget}; {freshness.due:,} due now. "
        f"{freshness.fresh:.0%} of them are expected to be as they were fetched; weighted by priority, "
        f"{freshness.weighted_fresh:.0%}.</p>"
    )
    if freshness.visits_per_day is not None and freshness.top_pages:
        text += (
            f"<p>Of the {format_count(freshness.top_pages, 'page')} of the highest priority, {freshness.top_too_old:,} "
            f"are older than {format_seconds(freshness.top_age)}.</p>"
        )
    return text + render_bars(freshness.classes, "class")


def _render_copied(page: CopiedPage) -> str:
    examples = "".join(f"<li>{show_link(url)}</li>" for url in page.examples)
    more = page.copies - len(page.examples)
    others = f"<li>and {more:,} more</li>" if more > 0 else ""
    return (
        f'<tr><td>{show_link(page.url)}<ul class="sources copies">{examples}{others}</ul></td>'
        f'<td class="n">{page.copies:,}</td></tr>'
    )


def render_wishes(report: CrawlReport) -> str:
    pages = report.totals.pages
    if not pages:
        return "<p>There is no page with content.</p>"
    if all(wish.unstated == pages for wish in report.wishes):
        return f"<p>No owner of these {format_count(pages, 'page')} says anything about search and AI.</p>"
    rows = "".join(_render_wish(wish, pages) for wish in report.wishes)
    export = format_command("export", report.crawl, "--for", "ai-train")
    return (
        "<p>What owners say about search and AI, as it stood when each page was fetched. An export for a use leaves "
        'out the pages that are reserved for it.</p><div class="wide"><table><tr><th>use</th><th></th>'
        '<th class="n">allowed</th><th class="n">unstated</th><th class="n">left out</th><th>because of</th></tr>'
        f"{rows}</table></div><pre>{show(export)}</pre>"
    )


def _render_wish(wish: Wish, pages: int) -> str:
    stances = {"allowed": wish.allowed, "unstated": wish.unstated, "left out": wish.reserved}
    bar = render_parts([(count, LOOKS[name], name) for name, count in stances.items()])
    signals = ", ".join(f"{show(signal)} ({count:,})" for signal, count in wish.signals.items()) or "–"
    return (
        f'<tr><td class="state">{show(wish.use)}</td><td class="track">{bar}</td>'
        f'<td class="n">{wish.allowed:,}</td><td class="n">{wish.unstated:,}</td>'
        f'<td class="n" title="{format_share(wish.reserved, pages)}">{wish.reserved:,}</td><td>{signals}</td></tr>'
    )


def format_duration(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms" if seconds < 1 else format_seconds(seconds)
