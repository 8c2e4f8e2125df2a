"""Sections of the report: how URLs ended, links, redirects, and what waits."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from hondius.model import FOREVER, State
from hondius.quantities import format_count, format_moment, format_seconds
from hondius.use.causes import STOP_REASONS
from hondius.use.html_page import show, show_link
from hondius.use.report.charts import format_share, render_parts
from hondius.use.report.facts import (
    BrokenLinks,
    BrokenTarget,
    CrawlReport,
    LinkingPage,
    Outcome,
    Politeness,
    RedirectChain,
    Redirects,
    Waiting,
)

OPEN_SOURCES = 3
"""Linking pages that are shown at once; a click shows the others."""
LOOKS = {
    State.COMPLETED.value: "fine",
    State.DUPLICATE.value: "fine",
    State.FAILED.value: "danger",
    State.GONE.value: "danger",
    State.BLOCKED.value: "quiet",
    State.REFUSED.value: "quiet",
}


def render_outcomes(report: CrawlReport) -> str:
    """A bar of all states, and a table of the causes of each."""
    total = report.totals.urls
    if not report.outcomes:
        return "<p>No URL has ended yet.</p>"
    states = {state: list(some) for state, some in groupby(report.outcomes, key=lambda outcome: outcome.state)}
    counts = {state: sum(outcome.urls for outcome in some) for state, some in states.items()}
    bar = render_parts([(count, LOOKS.get(state, ""), state) for state, count in counts.items()])
    rows = "".join(_render_state(state, some, counts[state], total) for state, some in states.items())
    sitemaps = f" {format_count(report.totals.sitemaps, 'sitemap')} came with them." if report.totals.sitemaps else ""
    head = '<tr><th>state and causes</th><th class="n">URLs</th><th class="n">share</th></tr>'
    return f"<p>{format_count(total, 'URL')} ended.{sitemaps}</p>{bar}<table>{head}{rows}</table>"


def _render_state(state: str, outcomes: Sequence[Outcome], urls: int, total: int) -> str:
    share = f'<td class="n soft">{format_share(urls, total)}</td>'
    key = f'<i class="key {LOOKS.get(state, "")}"></i>'
    first = f'<tr class="state"><td>{key}{show(state)}</td><td class="n">{urls:,}</td>{share}</tr>'
    causes = "".join(
        f'<tr class="cause"><td>{_describe_outcome(outcome)}</td><td class="n">{outcome.urls:,}</td><td></td></tr>'
        for outcome in outcomes
        if outcome.cause
    )
    return first + causes


def _describe_outcome(outcome: Outcome) -> str:
    is_plain = outcome.words == outcome.cause.replace("_", " ")
    return show(outcome.words) if is_plain else f'{show(outcome.words)} <span class="soft">{show(outcome.cause)}</span>'


def render_broken_links(broken: BrokenLinks) -> str:
    read = f"The links of {format_count(broken.pages_read, 'page')} were read."
    if broken.pages_unread:
        read += f" Those of {format_count(broken.pages_unread, 'page')} are not stored, or cannot be read."
    if not broken.links:
        return f"<p>No link leads to a URL that failed. {read}</p>{_render_unlinked(broken)}"
    lead = "leads" if broken.links == 1 else "lead"
    rows = "".join(map(_render_target, broken.listed))
    return (
        f"<p><strong>{format_count(broken.links, 'link')}</strong> on {format_count(broken.pages, 'page')} {lead} to "
        f"{format_count(broken.targets, 'URL')} that failed. {read} Fragments (#…) are not checked.</p>"
        f'<table class="links"><tr><th>URL that failed, and pages that link to it</th><th class="why">why</th>'
        f'<th class="n">pages</th></tr>{rows}</table>'
        f"{describe_cut(len(broken.listed), broken.linked)}{_render_unlinked(broken)}"
    )


def _render_unlinked(broken: BrokenLinks) -> str:
    if not broken.without_links:
        return ""
    have = "has" if broken.without_links == 1 else "have"
    found = f"{format_count(broken.without_links, 'failed URL')} {have} no link on these pages"
    return f'<p class="soft small">{found}: seeds, URLs of sitemaps, or targets of redirects.</p>'


def _render_target(target: BrokenTarget) -> str:
    via = f'<br><span class="soft small">by a redirect from {show_link(target.via)}</span>' if target.via else ""
    status = f'<span class="danger">{target.status}</span> ' if target.status else ""
    return (
        f"<tr><td>{show_link(target.url)}{via}{_render_sources(target.sources, target.pages)}</td>"
        f'<td class="why">{status}{show(target.words)}</td><td class="n">{target.pages:,}</td></tr>'
    )


def _render_sources(sources: Sequence[LinkingPage], pages: int) -> str:
    first = "".join(map(_render_source, sources[:OPEN_SOURCES]))
    shown = f'<ul class="sources">{first}</ul>'
    if len(sources) <= OPEN_SOURCES:
        return shown
    rest = "".join(map(_render_source, sources[OPEN_SOURCES:]))
    shown_others, others = len(sources) - OPEN_SOURCES, format_count(pages - OPEN_SOURCES, "other page")
    others = others if shown_others == pages - OPEN_SOURCES else f"{shown_others:,} of {others}"
    return f'{shown}<details><summary>{others}</summary><ul class="sources">{rest}</ul></details>'


def _render_source(source: LinkingPage) -> str:
    anchor = f" “{show(source.anchor)}”" if source.anchor.strip() else f" ({show(source.kind)})"
    return f"<li>{show_link(source.url)}{anchor}</li>"


def render_redirects(redirects: Redirects) -> str:
    if not redirects.urls:
        return "<p>No URL redirects.</p>"
    statuses = ", ".join(f"{count.pages:,} × {show(count.name)}" for count in redirects.statuses)
    chains = "; no redirect leads to another one"
    if redirects.chains:
        lead = "leads" if redirects.chains == 1 else "lead"
        chains = (
            f"; {redirects.chains:,} of them {lead} to another redirect, the longest over {redirects.longest} steps"
        )
    failures = ""
    if redirects.to_failures:
        end = "ends" if redirects.to_failures == 1 else "end"
        failures = f"; {redirects.to_failures:,} {end} at a URL that failed"
    rows = "".join(map(_render_chain, redirects.listed))
    return (
        f"<p>{format_count(redirects.urls, 'URL')} redirect{'s' if redirects.urls == 1 else ''} ({statuses}){chains}"
        f"{failures}. {format_count(redirects.links, 'link')} could be replaced by the last URL.</p>"
        '<div class="wide"><table><tr><th>redirect</th><th class="state">status</th><th class="state">ends</th>'
        f'<th class="n">pages that link to it</th></tr>{rows}</table></div>'
    )


def _render_chain(chain: RedirectChain) -> str:
    steps = "".join(f"<li>{show_link(url)}</li>" for url in chain.urls)
    look = "danger" if LOOKS.get(chain.end) == "danger" or chain.end == "loop" else ""
    return (
        f'<tr><td><ul class="chain">{steps}</ul></td><td class="state">{chain.status or "–"}</td>'
        f'<td class="state {look}">{show(chain.end)}</td>'
        f'<td class="n">{chain.pages:,}</td></tr>'
    )


def render_waiting(waiting: Waiting) -> str:
    lines = "".join(f"<dt>{name}</dt><dd>{show(value)}</dd>" for name, value in list_waiting(waiting))
    rows = "".join(f"<tr><td>{show(one.host)}</td><td>{show(one.reason)}</td></tr>" for one in waiting.hosts)
    table = f"<table><tr><th>host</th><th>why it is not contacted now</th></tr>{rows}</table>" if rows else ""
    return f"<dl>{lines}</dl>{table}"


def list_waiting(waiting: Waiting) -> Iterator[tuple[str, str]]:
    """The lines that the page and the terminal both show."""
    stopped = f"not running; last stopped: {STOP_REASONS.get(waiting.last_stop, waiting.last_stop) or 'killed'}"
    yield "crawl", "running" if waiting.is_running else stopped
    queue = waiting.queue
    if queue is None:
        yield "queue", "unknown until the crawl has run again"
    else:
        origins = f" on {format_count(queue.hosts, 'origin')}" if queue.urls else ""
        yield "queue", f"{format_count(queue.urls, 'URL')}{origins}, as counted on {format_moment(queue.at)}"
        if queue.resting:
            yield "resting", f"{format_count(queue.resting, 'origin')}: failing, backing off or paused"
        if queue.parked:
            yield "too deep", f"{format_count(queue.parked, 'URL')} beyond --max-depth"
        if queue.next_at is not None and queue.next_at < FOREVER and queue.urls:
            yield "next request", f"due on {format_moment(queue.next_at)}" if queue.next_at else "due at once"
    if waiting.retries:
        yield "retries", f"{format_count(waiting.retries, 'queued URL')} failed before"
    yield from (("note", note) for note in waiting.notes)


def render_politeness(politeness: Politeness) -> str:
    lines = "".join(f"<dt>{name}</dt><dd>{show(value)}</dd>" for name, value in _list_politeness(politeness))
    return f"<dl>{lines}</dl><p>The proof that no host was contacted too soon or against its robots.txt:</p>" + (
        f"<pre>{show(politeness.audit)}</pre>"
    )


def _list_politeness(politeness: Politeness) -> Iterator[tuple[str, str]]:
    delay = f"at least {format_seconds(politeness.delay)} between two requests to a host"
    yield "delay", delay if politeness.delay else "none: it was turned off"
    yield "robots.txt", f"{format_count(politeness.blocked, 'URL')} not requested because of it"
    yield "429 and 503", f"the last answer of {format_count(politeness.pushed_back, 'URL')}"


def describe_cut(shown: int, total: int) -> str:
    if shown >= total:
        return ""
    return f'<p class="soft small">{shown:,} of {total:,} are shown; --most shows more.</p>'
