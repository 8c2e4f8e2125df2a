"""Renders the report as one self-contained HTML file."""

from collections.abc import Iterator

from hondius.quantities import format_bytes, format_count, format_moment
from hondius.use.html_page import render_document, show
from hondius.use.report.charts import render_timeline
from hondius.use.report.content_sections import (
    render_content,
    render_copies,
    render_freshness,
    render_hosts,
    render_wishes,
)
from hondius.use.report.facts import CrawlReport
from hondius.use.report.sections import (
    render_broken_links,
    render_outcomes,
    render_politeness,
    render_redirects,
    render_waiting,
)

STYLE = """
header { border-bottom: 1px solid var(--line); padding-bottom: 1.25rem; }
.kicker { color: var(--soft); font-size: .875rem; margin: 0 0 .15rem; }
header p { margin: .35rem 0 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1.5rem 1.25rem;
  margin: 1.5rem 0 0; padding: 0; list-style: none; }
.figures b { display: block; font-size: 1.75rem; font-weight: 600; line-height: 1.15; letter-spacing: -.01em;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
.figures a { color: inherit; text-decoration: none; } .figures a:hover span { text-decoration: underline; }
.figures span { color: var(--soft); font-size: .875rem; } .figures .danger b { color: var(--danger); }
nav { margin: 1.5rem 0 0; font-size: .875rem; display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; }
.bar { fill: var(--accent); } .second { fill: var(--soft); } svg .name { fill: var(--ink); }
.columns { columns: 2 24rem; column-gap: 3rem; } .columns > div { break-inside: avoid; padding-bottom: 1.5rem; }
.columns h3 { margin-top: 0; padding-top: .75rem; }
.track { width: 28%; min-width: 4rem; } .bars td:first-child { width: 42%; }
.track > i { display: block; height: .7rem; margin-top: .42rem; background: var(--accent); min-width: 2px; }
.parts { display: flex; gap: 1px; height: .9rem; margin: .75rem 0; }
.track .parts { height: .7rem; margin: .42rem 0 0; }
.parts i { flex: 1 1 0; min-width: 2px; background: var(--accent); }
i.fine { background: var(--fine); } i.danger { background: var(--danger); } i.quiet { background: var(--soft); }
.key { display: inline-block; width: .7rem; height: .7rem; margin-right: .5rem; background: var(--accent); }
tr.state td { font-weight: 600; border-bottom: 0; padding-top: .7rem; } tr.state td.soft { font-weight: 400; }
tr.cause td { padding: .1rem .9rem .1rem 0; border-bottom: 0; font-size: .875rem; }
tr.cause td:first-child { padding-left: 1.2rem; } tr.cause td:last-child { padding-right: 0; }
.state { white-space: nowrap; overflow-wrap: normal; } .why { width: 15rem; } .danger { color: var(--danger); }
.sources { margin: .3rem 0 0; padding: 0; list-style: none; font-size: .875rem; color: var(--soft); }
.sources li { padding-left: 1rem; text-indent: -1rem; } .sources li::before { content: "←"; margin-right: .3rem; }
.sources.copies li::before { content: "="; } .sources a { color: inherit; }
summary { font-size: .875rem; color: var(--soft); cursor: pointer; }
.chain { margin: 0; padding: 0; list-style: none; } .chain li + li { padding-left: 1.25rem; text-indent: -1.25rem; }
.chain li + li::before { content: "→"; margin-right: .35rem; color: var(--soft); }
.note { border-left: 3px solid var(--warn); padding-left: .75rem; }
footer { margin-top: 3.5rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft);
  font-size: .875rem; }
@media (max-width: 40rem) { .figures { grid-template-columns: repeat(2, 1fr); } .figures b { font-size: 1.4rem; }
  .wide { overflow-x: auto; } .wide table { min-width: 34rem; }
  .links, .links tbody, .links tr, .links td { display: block; width: auto; } .links th { display: none; }
  .links tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  .links td, .links td.n { border: 0; padding: .1rem 0; text-align: left; }
  .links td.n { font-size: .875rem; color: var(--soft); } .links td.n::before { content: "pages that link to it: "; } }
@media print { nav { display: none; } i, .bar, .second { print-color-adjust: exact; } }
"""
SECTIONS = {
    "time": "Over time",
    "ends": "How URLs ended",
    "broken": "Broken links",
    "redirects": "Redirects",
    "hosts": "Slow hosts",
    "content": "Content",
    "copies": "Copies",
    "freshness": "Freshness",
    "wishes": "What owners allow",
    "waiting": "Waiting",
    "politeness": "Politeness",
}


def render_report(report: CrawlReport) -> str:
    bodies = {
        "time": render_timeline(report.timeline) or "<p>Nothing was fetched.</p>",
        "ends": render_outcomes(report),
        "broken": render_broken_links(report.broken_links),
        "redirects": render_redirects(report.redirects),
        "hosts": render_hosts(report.slow_hosts, report.totals.hosts),
        "content": render_content(report),
        "copies": render_copies(report.copies, report.near_copies),
        "freshness": render_freshness(report.freshness),
        "wishes": render_wishes(report),
        "waiting": render_waiting(report.waiting),
        "politeness": render_politeness(report.politeness),
    }
    sections = (f'<section id="{name}"><h2>{title}</h2>{bodies[name]}</section>' for name, title in SECTIONS.items())
    parts = [_render_header(report), *_render_notes(report), *sections, _render_footer(report)]
    return render_document(f"Report on {report.crawl}", STYLE, parts)


def _render_header(report: CrawlReport) -> str:
    figures = "".join(
        f'<li class="{look}"><a href="#{section}"><b>{value}</b><span>{name}</span></a></li>'
        for value, name, section, look in _list_figures(report)
    )
    index = " ".join(f'<a href="#{name}">{title}</a>' for name, title in SECTIONS.items())
    return (
        f'<header><p class="kicker">Crawl report</p><h1>{show(report.crawl)}</h1>'
        f'<p class="soft">{"; ".join(_describe_crawl(report))}</p>'
        f'<ul class="figures">{figures}</ul><nav aria-label="Sections">{index}</nav></header>'
    )


def _list_figures(report: CrawlReport) -> Iterator[tuple[str, str, str, str]]:
    """(value, name, section, class)"""
    totals, broken = report.totals, report.broken_links
    yield f"{totals.pages:,}", f"page{'' if totals.pages == 1 else 's'} with content", "content", ""
    yield f"{totals.failed:,}", f"URL{'' if totals.failed == 1 else 's'} failed", "ends", ""
    name = f"broken link{'' if broken.links == 1 else 's'}"
    yield f"{broken.links:,}", name, "broken", "danger" if broken.links else ""
    yield f"{report.redirects.urls:,}", f"redirect{'' if report.redirects.urls == 1 else 's'}", "redirects", ""
    yield f"{report.copies.pages:,}", "copies" if report.copies.pages != 1 else "copy", "copies", ""
    yield format_bytes(totals.wire_bytes), "received", "time", ""


def _describe_crawl(report: CrawlReport) -> Iterator[str]:
    buckets = report.timeline.buckets
    if buckets:
        first, last = format_moment(buckets[0].at), format_moment(buckets[-1].at + report.timeline.width)
        yield f"fetched from {first} to {last}"
    yield format_count(report.totals.hosts, "host")
    if report.totals.requests is not None:
        yield format_count(report.totals.requests, "request")
    if report.selected_hosts:
        yield f"only {show(', '.join(report.selected_hosts))}"
    yield "the crawl is running" if report.waiting.is_running else "the crawl is not running"


def _render_notes(report: CrawlReport) -> Iterator[str]:
    yield from (f'<p class="note">{show(note)}</p>' for note in report.notes)


def _render_footer(report: CrawlReport) -> str:
    made = f"Made by Hondius {show(report.version)} on {format_moment(report.made_at)}."
    return f"<footer>{made} This file is complete: it requests nothing and runs no script. All times are UTC.</footer>"
