"""`hondius verify`, `rebuild`, `blacklist` and `recrawl`."""

import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from hondius.crawler.assemble import record, want_again
from hondius.crawler.control import post
from hondius.crawler.directory import open_settings
from hondius.crawler.opening import Watch
from hondius.crawler.seeds import seeds_from_arguments
from hondius.crawler.translation import make_identity
from hondius.errors import DirectoryInUse
from hondius.model import Blacklisted, Wanted
from hondius.operate.cli.options import Directory, host_named
from hondius.operate.cli.progress import say
from hondius.operate.cli.quantities import counted
from hondius.operate.cli.reading import opened_catalog
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.lock import DirectoryLock


def register(app: typer.Typer) -> None:
    app.command("verify")(verify)
    app.command("rebuild")(rebuild)
    app.command("blacklist")(blacklist)
    app.command("recrawl")(recrawl)


def verify(directory: Directory) -> int:
    """Check all against all: log, archive, catalog, URL store."""
    from hondius.use.verify import verify_crawl

    settings = open_settings(directory)
    console = Console(highlight=False)
    with DirectoryLock(directory):
        report = verify_crawl(directory, settings)
    for line in report.lines():
        console.print(line, soft_wrap=True, markup=False)
    return 0 if report.clean else 1


def rebuild(directory: Directory) -> None:
    """Make the catalog and the URL store anew from the log."""
    from hondius.use.rebuild import rebuild_views

    settings = open_settings(directory)
    with DirectoryLock(directory):
        frames = rebuild_views(directory, settings, _progress)
    print(f"{directory}: crawl.db and urls/ were made anew from {frames:,} frames")


def blacklist(
    directory: Directory,
    domain: Annotated[str | None, typer.Argument(help="Host or domain; all below it too. None: show the list.")] = None,
    reason: Annotated[str, typer.Option(help="Kept beside it.")] = "by hand",
    lift: Annotated[bool, typer.Option("--lift", help="Take it off the list.")] = False,
) -> None:
    """Never contact a host again; also while the crawl runs."""
    settings = open_settings(directory)
    if domain is None:
        return _show(directory)
    order = Blacklisted(host_named(domain), reason[:500], time.time(), lift)
    try:
        with DirectoryLock(directory):
            record(directory, settings, [order], Watch(notice=say))
        print(f"{order.domain} is {'off' if lift else 'on'} the blacklist of {directory}")
        if lift:
            print("URLs that were refused meanwhile stay so; `hondius recrawl` brings one back")
    except DirectoryInUse:
        post(EmbeddedDisk(directory), order)
        print(f"{order.domain}: the running crawl of {directory} has been told")


def recrawl(
    directory: Directory,
    urls: Annotated[list[str], typer.Argument(help="URLs to fetch anew.")],
) -> None:
    """Fetch URLs anew, before all others: a running crawl does at once, another when it is resumed."""
    settings = open_settings(directory)
    seeds = seeds_from_arguments(urls, make_identity(settings))
    hrefs = tuple(seed.url.href for seed in seeds)
    try:
        with DirectoryLock(directory):
            count = want_again(directory, settings, hrefs, Watch(notice=say))
        print(f"{counted(count, 'URL')} queued again: `hondius resume {directory}` fetches what is queued")
    except DirectoryInUse:
        post(EmbeddedDisk(directory), Wanted(hrefs))
        print(f"the running crawl of {directory} has been told")


def _show(directory: Path) -> None:
    with opened_catalog(directory) as catalog:
        for entry in catalog.blacklist():
            print(f"{entry.domain}\t{entry.reason}")


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done:,} of {of:,} frames", end="" if done < of else "\n", file=sys.stderr, flush=True)
