"""Renders the report for the owner of a site as one self-contained HTML file."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from hondius.usage import Stance
from hondius.use.audit.plot import render_plot
from hondius.use.audit.report import Case
from hondius.use.audit.site import PagesOfUsage, ShownCopy, SiteReport
from hondius.use.html_page import render_document, show, show_lines

STYLE = """
:root { --good: var(--accent); --bad: var(--warn); --early: var(--danger); --robots: var(--fine); }
.verdict { font-size: 1.15rem; } .verdict.clean { color: var(--robots); } .verdict.violated { color: var(--early); }
.needed { stroke: var(--soft); stroke-width: 2; } .robots { stroke: var(--robots); }
.good { fill: var(--good); } .bad { fill: var(--bad); } .early { fill: var(--early); }
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
    picture = render_plot(site.visits, site.robots)
    facts = "".join(f"<dt>{show(name)}</dt><dd>{show(value)}</dd>" for name, value in list_facts(site))
    return render_document(
        f"Visits to {site.host}",
        STYLE,
        [
            f"<h1>Visits to {show(site.host)}</h1>",
            _render_verdict(site),
            f"<dl>{facts}</dl>",
            f'<h2>Every request</h2>{_render_legend()}<div class="chart">{picture}</div>' if picture else "",
            *_render_violations(site.violations),
            *_render_usage(site.usage),
            *_render_robots(site),
        ],
    )


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
        f"<tr><td>{format_moment(case.at)}</td><td>{show(case.kind)}</td><td>{show(case.url or '')}</td>"
        f"<td>{show(case.detail)}</td></tr>"
        for case in cases
    )
    if rows:
        yield f"<h2>Violations</h2><table><tr><th>when<th>what<th>URL<th>detail</tr>{rows}</table>"


def _render_usage(usages: Sequence[PagesOfUsage]) -> Iterator[str]:
    if not usages:
        return
    heads = "".join(f"<th>{show(use)}" for use in usages[0].uses)
    rows = "".join(
        f"<tr><td>{some.pages:,}</td><td>{'<br>'.join(map(show, some.signals)) or 'none'}</td>"
        f"{''.join(f'<td>{show(stance)}</td>' for stance in some.uses.values())}</tr>"
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
        f"<tr><td>{show(example.url)}</td><td>line {example.line}: {show(example.rule)}</td></tr>"
        for example in site.forbidden_examples
    )
    if rows:
        yield f"<h2>Not fetched, as robots.txt asks</h2><table><tr><th>URL<th>rule</tr>{rows}</table>"
    if site.robots:
        yield "<h2>The copies of robots.txt that we used</h2>"
    shown: set[tuple[str, str]] = set()
    for copy in site.robots:
        yield f"<p>{show(format_copy(copy))}</p>"
        if copy.text and (copy.origin, copy.text) not in shown:
            shown.add((copy.origin, copy.text))
            yield f"<pre>{show_lines(copy.text)}</pre>"


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
