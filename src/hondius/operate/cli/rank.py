"""`hondius rank`: the most important pages and hosts (S8)."""

import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from hondius.opening import open_crawl
from hondius.operate.cli.messages import say
from hondius.operate.cli.options import Directory, Json
from hondius.operate.cli.signals import INTERRUPTED
from hondius.operate.cli.streams import get_trusted_stream
from hondius.quantities import format_count
from hondius.sanitise import escape_controls_in_json, make_printable

if TYPE_CHECKING:
    from hondius.use.rank import CrawlRanking

SHOWN_EVERY = 0.5
"""Seconds between two updates of the progress line."""
MOST = 20


def register(app: typer.Typer) -> None:
    app.command("rank")(rank)


def rank(
    directory: Directory,
    top: Annotated[int, typer.Option(min=1, max=10_000, help="How many pages or hosts to list.")] = MOST,
    hosts: Annotated[bool, typer.Option("--hosts", help="List hosts instead of pages.")] = False,
    json: Json = False,
) -> int:
    """List the pages with the highest PageRank, and compute it first if the crawl has gone on. Also works while the
    crawl runs.
    """
    from hondius.use.rank import rank_crawl

    try:
        with open_crawl(directory) as crawl:
            made = rank_crawl(crawl, top, _make_progress())
    except KeyboardInterrupt:
        say("interrupted: nothing was stored")
        raise typer.Exit(INTERRUPTED) from None
    if json:
        print(escape_controls_in_json(msgspec.json.encode(made).decode()))
    else:
        for line in _format_ranking(made, hosts=hosts):
            print(make_printable(line))
    return 0


def _format_ranking(made: "CrawlRanking", *, hosts: bool) -> Iterator[str]:
    yield (
        f"{made.crawl}: {format_count(made.pages, 'page')}, {format_count(made.links, 'link')}, "
        f"{format_count(made.hosts, 'host')}, {format_count(made.iterations, 'iteration')}"
    )
    if made.unread:
        yield f"note: the links of {format_count(made.unread, 'page')} cannot be read"
    yield f"{'rank':>10}  {'percentile':>10}  {'host' if hosts else 'page'}"
    if hosts:
        for host in made.top_hosts:
            yield f"{host.rank:>10.6f}  {host.percentile:>10.2%}  {host.host}"
    else:
        for page in made.top_pages:
            note = "" if page.state in ("completed", "duplicate") else f" ({page.state or 'not crawled'})"
            yield f"{page.rank:>10.6f}  {page.percentile:>10.2%}  {page.url}{note}"


def _make_progress() -> Callable[[str, float], None]:
    """On a terminal, a line that shows what is done. Nothing before the first half second."""
    if not sys.stderr.isatty():
        return lambda doing, share: None
    shown = time.monotonic()

    def show(doing: str, share: float) -> None:
        nonlocal shown
        at = time.monotonic()
        if at - shown >= SHOWN_EVERY:
            shown = at
            done = f"{share:,.0f}" if share > 1 else f"{share:.0%}" if share else "…"
            print(f"\r\x1b[K{doing}: {done} ", end="", file=get_trusted_stream(of_errors=True), flush=True)

    return show
