"""`hondius report`: what was crawled, and what is wrong with the sites (O1)."""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from hondius.errors import BadSetting
from hondius.opening import open_crawl
from hondius.operate.cli.messages import say
from hondius.operate.cli.options import Directory, Json
from hondius.operate.cli.signals import INTERRUPTED
from hondius.operate.cli.streams import get_trusted_stream
from hondius.quantities import format_bytes, format_count
from hondius.sanitise import escape_controls_in_json, make_printable

if TYPE_CHECKING:
    from hondius.use.report import CrawlReport

SHOWN_EVERY = 0.5
"""Seconds between two updates of the progress line."""
SHOWN_LINKS = 10
"""Broken links that are printed."""
MOST = 100


def register(app: typer.Typer) -> None:
    app.command("report")(report)


def report(
    directory: Directory,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write the whole report as one HTML file."),
    ] = None,
    host: Annotated[
        list[str] | None,
        typer.Option(help="Only this host; *.example.com is every host below example.com. May be repeated."),
    ] = None,
    most: Annotated[int, typer.Option(min=1, max=100_000, help="The length of each list.")] = MOST,
    check: Annotated[bool, typer.Option("--check", help="Exit with status 1 if there are broken links.")] = False,
    json: Json = False,
) -> int:
    """Report what was crawled: broken links, redirects, slow hosts, copies, languages, what owners allow. Also works
    while the crawl runs.
    """
    from hondius.use.known_hosts import refuse_unknown_hosts
    from hondius.use.output import refuse_inside, refuse_unwritable, write_lines
    from hondius.use.report import make_report, render_report
    from hondius.use.selection import select_pages

    if output is not None:
        refuse_inside(directory, output)
        if output.suffix not in ("", ".html", ".htm") and not output.is_char_device():
            raise BadSetting(f"a report is an HTML file, not {output.suffix}: end -o {output} in .html")
        refuse_unwritable(output)
    try:
        with open_crawl(directory) as crawl:
            refuse_unknown_hosts(crawl, select_pages(hosts=host or ()).hosts)
            made = make_report(crawl, host or (), most, _make_progress())
    except KeyboardInterrupt:
        say("interrupted" if output is None else f"interrupted: nothing was written to {output}")
        raise typer.Exit(INTERRUPTED) from None
    if output is not None:
        write_lines([render_report(made).encode()], output)
        say(f"wrote the report on {directory} to {output}")
    if json:
        print(escape_controls_in_json(msgspec.json.encode(made).decode()))
    elif output is None or check:
        for line in _format_report(made):
            print(make_printable(line))
    return 1 if check and made.broken_links.links else 0


def _format_report(made: "CrawlReport") -> Iterator[str]:
    """The facts that fit on a screen."""
    totals, redirects = made.totals, made.redirects
    yield (
        f"{made.crawl}: {format_count(totals.urls, 'URL')} of {format_count(totals.hosts, 'host')}, "
        f"{format_count(totals.pages, 'page')} with content, {format_bytes(totals.wire_bytes)} received"
    )
    for outcome in made.outcomes:
        yield f"  {outcome.urls:>9,}  {outcome.state}{f', {outcome.cause}' if outcome.cause else ''}"
    lead = "leads" if redirects.chains == 1 else "lead"
    chains = f"; {redirects.chains:,} {lead} to another redirect" if redirects.chains else ""
    yield f"redirects: {redirects.urls:,}{chains}"
    yield f"exact copies: {made.copies.pages:,}"
    for wish in made.wishes:
        if wish.reserved:
            yield f"reserved for {wish.use}: {format_count(wish.reserved, 'page')}"
    yield from _format_broken_links(made)
    yield from (f"note: {note}" for note in made.notes)


def _format_broken_links(made: "CrawlReport") -> Iterator[str]:
    broken = made.broken_links
    if not broken.links:
        yield f"broken links: none on {format_count(broken.pages_read, 'page')}"
    else:
        yield (
            f"broken links: {broken.links:,} on {format_count(broken.pages, 'page')}, "
            f"to {format_count(broken.targets, 'URL')}"
        )
    if broken.pages_unread:
        yield f"  the links of {format_count(broken.pages_unread, 'page')} are not stored, or cannot be read"
    for target in broken.listed[:SHOWN_LINKS]:
        via = f" (by a redirect from {target.via})" if target.via else ""
        yield f"  {target.url}{via}: {target.words}"
        first, others = target.sources[0], target.pages - 1
        anchor = f" ({first.anchor.strip()})" if first.anchor.strip() else ""
        more = f", and {format_count(others, 'other page')}" if others else ""
        yield f"    linked by {first.url}{anchor}{more}"
    if len(broken.listed) > SHOWN_LINKS:
        yield f"  … {SHOWN_LINKS} of {broken.linked:,}: -o report.html and --json list more"


def _make_progress() -> Callable[[str, int], None]:
    """On a terminal, a line that shows what is done. Nothing before the first half second."""
    if not sys.stderr.isatty():
        return lambda doing, number: None
    shown = time.monotonic()

    def show(doing: str, number: int) -> None:
        nonlocal shown
        at = time.monotonic()
        if at - shown >= SHOWN_EVERY:
            shown = at
            print(f"\r\x1b[K{doing}: {number:,} ", end="", file=get_trusted_stream(of_errors=True), flush=True)

    return show
