"""`hondius audit`: checks whether the crawl was polite; also works while it runs (P7)."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from hondius.errors import HondiusError, WrongUse
from hondius.native import registrable_domain
from hondius.opening import open_crawl, open_settings
from hondius.operate.cli.messages import say
from hondius.operate.cli.options import Directory, Json, parse_host
from hondius.quantities import format_count, format_seconds
from hondius.sanitise import escape_controls_in_json, make_printable

if TYPE_CHECKING:
    from hondius.use.audit import Report, SiteReport
    from hondius.use.audit.report import Case, Tally

SHOWN_VISITS = 20
SHOWN_HOSTS = 5
SHOWN_PLACES = 5


def register(app: typer.Typer) -> None:
    app.command("audit")(audit)


def audit(
    directory: Directory,
    site: Annotated[str | None, typer.Option(metavar="HOST", help="Report on one site, for its owner.")] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the report on the site as an HTML page with a plot; needs --site."),
    ] = None,
    json: Json = False,
) -> int:
    """Prove from the records of all requests that no host was contacted too soon or against its robots.txt.

    The exit status is 1 if a rule was broken, and 2 if --site names a host that was never contacted.
    """
    from hondius.use.audit import audit_crawl, render_page
    from hondius.use.output import refuse_inside, refuse_unwritable, write_lines

    if html is not None and site is None:
        raise WrongUse("--html is a page about one site: name it with --site HOST")
    if html is not None:
        refuse_inside(directory, html)
        refuse_unwritable(html)
    report, visited = audit_crawl(directory, None if site is None else parse_host(site), _read_contact(directory))
    if visited is not None and not (visited.requests or visited.violations):
        raise WrongUse(f"{visited.host} was never contacted by this crawl{_suggest_hosts(directory, visited.host)}")
    if html is not None and visited is not None:
        write_lines([render_page(visited).encode()], html)
        say(f"wrote the report on {visited.host} to {html}")
    if json:
        shown = msgspec.to_builtins(report) | {"clean": report.clean, "violations": report.violations}
        shown |= {} if visited is None else {"site": msgspec.to_builtins(visited)}
        print(escape_controls_in_json(msgspec.json.encode(shown).decode()))
    else:
        for line in _format_site(report, visited) if visited is not None else _format_report(directory, report):
            print(make_printable(line))
    has_violations = bool(visited.violations) if visited is not None else not report.clean
    return 1 if has_violations else 0


def _format_report(directory: Path, report: "Report") -> Iterator[str]:
    from hondius.use.audit.page import format_moment

    first, last = format_moment(report.first_at), format_moment(report.last_at)
    times = f"{first} to {last}, " if report.first_at is not None else ""
    yield (
        f"{directory}: {format_count(report.requests, 'request')} to {format_count(report.hosts, 'host')} in "
        f"{format_count(len(report.runs), 'run')}, {times}audited in {format_seconds(report.seconds)}"
    )
    yield from _format_damage(report)
    for tally in report.tallies:
        yield from _format_tally(tally)
    if any(tally.checked > report.requests for tally in report.tallies):
        yield "  the delays are also checked for connections on which no request was sent, so a line may count more"
    if report.without_end:
        have = "has" if report.without_end == 1 else "have"
        yield f"  {format_count(report.without_end, 'request')} {have} no recorded end (cut off, or under way)"
    if report.pushed_back:
        were = "was" if report.pushed_back == 1 else "were"
        yield f"  {format_count(report.pushed_back, 'answer')} {were} 429 or 503"
    for note in report.notes:
        yield f"  note: {note}"
    yield "clean: no violation" if report.clean else f"VIOLATED: {format_count(report.violations, 'violation')}"


def _format_damage(report: "Report") -> Iterator[str]:
    """Printed first: damage changes the meaning of all that follows."""
    if report.damaged:
        yield f"  THE RECORD OF REQUESTS IS INCOMPLETE: {'; '.join(report.damaged[:SHOWN_PLACES])}"
        yield (
            "    Nothing is proven, for or against, about requests in the missing part: answers without a record may "
            "belong to them. Restore the files from a copy"
        )


def _format_tally(tally: "Tally") -> Iterator[str]:
    if not tally.checked:
        return
    mark = "VIOLATED" if tally.violations else "kept    "
    broken = f", {format_count(tally.violations, 'violation')}" if tally.violations else ""
    yield f"  {mark} {tally.requirement} ({tally.specified}): {tally.checked:,} checked{broken}"
    closest = [case for case in tally.worst[:1] if case.needed is None or case.needed > 0]
    for case in tally.worst if tally.violations else closest:
        yield f"           {'' if tally.violations else 'closest: '}{_format_case(case)}"


def _format_case(case: "Case") -> str:
    from hondius.use.audit.page import format_moment

    words = [f"{format_moment(case.at)} {case.url or case.host}".strip()]
    if case.needed is not None and case.found is not None:
        crowd = case.kind == "address_crowd"
        words.append(
            f"{case.found:g} at once, {case.needed:g} allowed"
            if crowd
            else f"waited {case.found:.3f} s of {case.needed:.3f} s"
        )
    return ", ".join([*words, case.detail] if case.detail else words)


def _format_site(report: "Report", site: "SiteReport") -> Iterator[str]:
    from hondius.use.audit.page import format_copy, format_moment, list_facts

    yield f"Visits to {site.host}"
    yield from _format_damage(report)
    for name, value in list_facts(site):
        yield f"  {name:<12}  {value}"
    for copy in site.robots:
        yield f"  {'copy':<12}  {format_copy(copy)}"
    for example in site.forbidden_examples:
        yield f"  {'forbidden':<12}  {example.url} (line {example.line}: {example.rule})"
    if site.requests > SHOWN_VISITS:
        yield f"  {'visits':<12}  {site.requests:,}; the last {SHOWN_VISITS} are shown, --json lists all"
    for visit in site.visits[-SHOWN_VISITS:]:
        pause = "" if visit.pause is None else f" after {visit.pause:.3f} s"
        status = visit.status or "no answer"
        yield f"  {'visit':<12}  {format_moment(visit.at)}{pause}: {visit.url or visit.kind}, {status}"
    for case in site.violations:
        yield f"  {'VIOLATED':<12}  {case.kind}: {_format_case(case)}"
    if not site.violations:
        unnamed = sum(visit.url is None and visit.kind != "robots" for visit in site.visits)
        have = "has" if unnamed == 1 else "have"
        if unnamed:
            unknown = f"{format_count(unnamed, 'request')} {have} no URL in the log, so robots.txt was not checked"
            yield f"every request obeyed the delays; {unknown}"
        else:
            yield "every request obeyed robots.txt and the delays"


def _suggest_hosts(directory: Path, host: str) -> str:
    """Suggests hosts that the user may have meant. Works without a catalog, which is not evidence."""
    try:
        with open_crawl(directory) as crawl:
            near = crawl.catalog.list_hosts_of_domain(registrable_domain(host) or host, SHOWN_HOSTS)
    except HondiusError:
        return ""
    return f"; of its domain it contacted {', '.join(near)}" if near else ""


def _read_contact(directory: Path) -> str:
    """The contact for the owner of a site. It is all that an audit reads from the settings, and not evidence."""
    try:
        return open_settings(directory).fetch.contact
    except HondiusError:
        return ""
