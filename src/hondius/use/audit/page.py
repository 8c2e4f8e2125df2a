"""Renders the report for the owner of a site as one self-contained HTML file."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from html import escape

from hondius.usage import Stance
from hondius.use.audit.plot import render_plot
from hondius.use.audit.report import Case
from hondius.use.audit.site import PagesOfUsage, ShownCopy, SiteReport

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #667; --paper: #fff; --line: #dde; --good: #2563eb;
  --bad: #b45309; --early: #dc2626; --robots: #16a34a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #99a; --paper: #14171a; --line: #333a42;
  --good: #7aa2ff; --bad: #f0b35a; --early: #ff6b6b; --robots: #4ade80; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.verdict { font-size: 1.15rem; } .verdict.clean { color: var(--robots); } .verdict.violated { color: var(--early); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; } dt { color: var(--soft); }
dd { margin: 0; }
svg { width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: var(--soft); }
.grid { stroke: var(--line); } .needed { stroke: var(--soft); stroke-width: 2; } .robots { stroke: var(--robots); }
.good { fill: var(--good); } .bad { fill: var(--bad); } .early { fill: var(--early); }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .25rem .5rem .25rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
pre { background: color-mix(in srgb, var(--line) 40%, transparent); padding: .75rem; overflow-x: auto; }
.key span { margin-right: 1rem; } .key i { display: inline-block; width: .7rem; height: .7rem; border-radius: 50%; }
"""
LEGEND = (
    ("good", "answered"),
    ("bad", "an error, or no answer"),
    ("early", "too early"),
    ("soft", "the shortest delay allowed"),
    ("robots", "robots.txt read"),
)


SHOWN_USAGES = 50


def render_page(site: SiteReport) -> str:
    host = escape(site.host)
    picture = render_plot(site.visits, site.robots)
    parts = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Visits to {host}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{STYLE}</style><h1>Visits to {host}</h1>",
        _render_verdict(site),
        f"<dl>{''.join(f'<dt>{escape(name)}</dt><dd>{escape(value)}</dd>' for name, value in list_facts(site))}</dl>",
        f"<h2>Every request</h2>{_render_legend()}{picture}" if picture else "",
        *_render_violations(site.violations),
        *_render_usage(site.usage),
        *_render_robots(site),
    ]
    return "\n".join(part for part in parts if part) + "\n"


def list_facts(site: SiteReport) -> Iterator[tuple[str, str]]:
    """The lines that the page and the terminal both show."""
    yield "visitor", f"{site.agent} (the name to use in robots.txt)"
    yield "contact", site.contact or "none was given"
    if not site.requests:
        yield "requests", "none"
        return
    yield "requests", ", ".join([f"{site.requests:,}", *(f"{count:,} {kind}" for kind, count in site.kinds.items())])
    yield "first", format_moment(site.first_at)
    yield "last", format_moment(site.last_at)
    if site.shortest_pause is not None and site.median_pause is not None:
        yield "pauses", f"{site.shortest_pause:.3f} s at least, {site.median_pause:.3f} s in the median"
    if site.busiest_hour is not None:
        began, count = site.busiest_hour
        yield "busiest hour", f"{count:,} request{'' if count == 1 else 's'} from {format_moment(began)} on"
    yield "answers", ", ".join(f"{count:,} × {status}" for status, count in site.statuses.items())
    copies = "1 copy was read" if len(site.robots) == 1 else f"{len(site.robots):,} copies were read"
    forbidden = "1 URL was" if site.forbidden == 1 else f"{site.forbidden:,} URLs were"
    yield "robots.txt", f"{copies}; {forbidden} not fetched because of it"
    yield from _summarise_usage(site.usage)


def _render_verdict(site: SiteReport) -> str:
    if site.violations:
        return f'<p class="verdict violated">{len(site.violations)} requests broke a rule.</p>'
    return '<p class="verdict clean">Every request obeyed robots.txt and the delays.</p>'


def _render_legend() -> str:
    marks = "".join(f'<span><i style="background:var(--{color})"></i> {words}</span>' for color, words in LEGEND)
    return f'<p class="key">{marks}</p>'


def _render_violations(cases: Iterable[Case]) -> Iterator[str]:
    rows = "".join(
        f"<tr><td>{format_moment(case.at)}</td><td>{escape(case.kind)}</td><td>{escape(case.url or '')}</td>"
        f"<td>{escape(case.detail)}</td></tr>"
        for case in cases
    )
    if rows:
        yield f"<h2>Violations</h2><table><tr><th>when<th>what<th>URL<th>detail</tr>{rows}</table>"


def _render_usage(usages: Sequence[PagesOfUsage]) -> Iterator[str]:
    if not usages:
        return
    heads = "".join(f"<th>{escape(use)}" for use in usages[0].uses)
    rows = "".join(
        f"<tr><td>{some.pages:,}</td><td>{'<br>'.join(map(escape, some.signals)) or 'none'}</td>"
        f"{''.join(f'<td>{escape(stance)}</td>' for stance in some.uses.values())}</tr>"
        for some in usages[:SHOWN_USAGES]
    )
    yield "<h2>What the pages say about their use</h2>"
    yield "<p>As it stood when each page was fetched. What is reserved for a use is left out of exports for it.</p>"
    yield f"<table><tr><th>pages<th>signals{heads}</tr>{rows}</table>"


def _summarise_usage(usages: Sequence[PagesOfUsage]) -> Iterator[tuple[str, str]]:
    total = sum(some.pages for some in usages)
    for use in usages[0].uses if usages else ():
        reserved = sum(some.pages for some in usages if some.uses[use] == Stance.RESERVED)
        yield f"for {use}", f"reserved on {reserved:,} of {total:,} fetched page{'' if total == 1 else 's'}"


def _render_robots(site: SiteReport) -> Iterator[str]:
    rows = "".join(
        f"<tr><td>{escape(example.url)}</td><td>line {example.line}: {escape(example.rule)}</td></tr>"
        for example in site.forbidden_examples
    )
    if rows:
        yield f"<h2>Not fetched, as robots.txt asks</h2><table><tr><th>URL<th>rule</tr>{rows}</table>"
    if site.robots:
        yield "<h2>The copies of robots.txt that we used</h2>"
    shown: set[tuple[str, str]] = set()
    for copy in site.robots:
        yield f"<p>{escape(format_copy(copy))}</p>"
        if copy.text and (copy.origin, copy.text) not in shown:
            shown.add((copy.origin, copy.text))
            yield f"<pre>{escape(copy.text)}</pre>"


def format_copy(copy: ShownCopy) -> str:
    outcomes = {"parsed": "read", "none": "there is none", "unreachable": "it could not be fetched"}
    status = f", status {copy.status}" if copy.status is not None else ""
    delay = f", Crawl-delay {copy.crawl_delay:g} s" if copy.crawl_delay else ""
    outcome = outcomes.get(copy.outcome, copy.outcome)
    until = format_moment(copy.expires_at)
    return f"{copy.origin}, {format_moment(copy.at)}: {outcome}{status}{delay}; in force until {until}"


def format_moment(at: float | None) -> str:
    if at is None:
        return "never"
    return datetime.fromtimestamp(at, UTC).isoformat(sep=" ", timespec="seconds").replace("+00:00", "Z")
