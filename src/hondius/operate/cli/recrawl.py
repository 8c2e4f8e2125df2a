"""`hondius verify`, `rebuild`, `blacklist` and `recrawl`."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hondius.advice import command
from hondius.crawler.directory import open_settings
from hondius.crawler.seeds import seeds_from_arguments
from hondius.crawler.translation import make_identity
from hondius.errors import BrokenView, DirectoryInUse, WrongUse
from hondius.model import Blacklisted, State, Wanted
from hondius.native import Url, registrable_domain
from hondius.operate.cli.options import Directory, host_named
from hondius.operate.cli.orders import give, is_unknown
from hondius.operate.cli.plain import printable
from hondius.operate.cli.quantities import counted, shown_bytes
from hondius.operate.cli.status import opened_catalog
from hondius.operate.cli.streams import ours
from hondius.settings import Settings
from hondius.stores.disk.lock import DirectoryLock, holder, is_writable

if TYPE_CHECKING:
    from hondius.stores.log.salvage import Gap

MOST_WANTED = 10_000
"""URLs in one order."""
SHOWN = 10
"""URLs that are named one by one."""


def register(app: typer.Typer) -> None:
    app.command("verify")(verify)
    app.command("rebuild")(rebuild)
    app.command("blacklist")(blacklist)
    app.command("recrawl")(recrawl)


def verify(directory: Directory) -> int:
    """Check all against all: log, archive, catalog, URL store."""
    from hondius.operate.cli.display.shown import make_console
    from hondius.use.verify import verify_crawl

    settings = open_settings(directory)
    console = make_console()
    with _at_rest(directory, shared=not is_writable(directory)):
        report = verify_crawl(directory, settings, _reading)
    for line in report.lines():
        console.print(line, soft_wrap=True, markup=False)
    return 0 if report.clean else 1


def rebuild(
    directory: Directory,
    salvage: Annotated[
        bool, typer.Option("--salvage", help="Go on with what can be read of a log that is damaged.")
    ] = False,
) -> None:
    """Make the catalog and the URL store anew from the log."""
    from hondius.use.rebuild import rebuild_views, salvage_log

    settings = open_settings(directory)
    with _at_rest(directory):
        if salvage:
            _tell_lost(directory, salvage_log(directory, settings))
        frames = rebuild_views(directory, settings, _progress)
    print(f"{directory}: crawl.db and urls/ were made anew from {counted(frames, 'frame')}")


def _at_rest(directory: Path, *, shared: bool = False) -> DirectoryLock:
    try:
        return DirectoryLock(directory, shared=shared)
    except DirectoryInUse:
        owner = holder(directory) or "unknown"
        raise DirectoryInUse(
            f"{directory} is in use by process {owner}, and this needs a crawl that rests: "
            f"wait for its end or stop it with Ctrl-C, and try again; {command('resume', directory)} goes on afterwards"
        ) from None


def blacklist(
    directory: Directory,
    domain: Annotated[str | None, typer.Argument(help="Host or domain; all below it too. None: show the list.")] = None,
    reason: Annotated[str | None, typer.Option(help="Kept beside it. Default: the one it has, or 'by hand'.")] = None,
    lift: Annotated[bool, typer.Option("--lift", help="Take it off the list.")] = False,
) -> None:
    """Never contact a host again; also while the crawl runs."""
    settings = open_settings(directory)
    if domain is None:
        if lift or reason is not None:
            option, example = "--lift" if lift else "--reason", command("blacklist", directory, "example.com", "--lift")
            raise WrongUse(f"{option} is for one domain: name it, like {example}")
        return _show(directory)
    name = host_named(domain)
    why = reason if reason is not None else _listed_reason(directory, name) or "by hand"
    order = Blacklisted(name, printable(why[:500]), time.time(), lift)
    if lift and is_unknown(directory, lambda: _listed_reason(directory, name) is not None):
        return print(f"{order.domain} was not on the blacklist of {directory}")
    what = f"{order.domain} and everything below it (a public suffix)" if _is_suffix(order.domain) else order.domain
    if give(directory, settings, [order]) is None:
        print(f"{what}: the running crawl of {directory} has been told")
    else:
        print(f"{what} is {'off' if lift else 'on'} the blacklist of {directory}")
    if lift:
        _bring_back(directory, settings, "blacklisted", order.domain)
    return None


def _listed_reason(directory: Path, domain: str) -> str | None:
    """Why a domain is on the blacklist; None where it is not, or the catalog has to be rebuilt first."""
    with suppress(BrokenView), opened_catalog(directory) as catalog:
        return next((entry.reason for entry in catalog.blacklist() if entry.domain == domain), None)
    return None


def _is_suffix(domain: str) -> bool:
    """A name under which others register theirs, like com or co.uk; an address is none."""
    return registrable_domain(domain) is None and not domain.startswith("[") and not domain[-1:].isdigit()


def recrawl(
    directory: Directory,
    urls: Annotated[list[str] | None, typer.Argument(help="URLs to fetch anew.", show_default=False)] = None,
    refused: Annotated[str | None, typer.Option(help="All that were refused for this cause, like no_novelty.")] = None,
) -> None:
    """Fetch URLs anew, before all others: a running crawl does at once, another when it is resumed."""
    settings = open_settings(directory)
    if refused is not None:
        _bring_back(directory, settings, refused)
    if not urls:
        if refused is None:
            raise WrongUse("recrawl needs URLs, or --refused CAUSE, like --refused no_novelty")
        return
    seeds = seeds_from_arguments(urls, make_identity(settings))
    by_kind: dict[str, list[str]] = {}
    passed_over: list[str] = []
    for href, kind in _known(directory, [seed.url for seed in seeds], passed_over):
        by_kind.setdefault(kind, []).append(href)
    if not by_kind:
        raise WrongUse(
            passed_over[0] if len(passed_over) == 1 else f"none of them can be fetched again: {passed_over[0]}"
        )
    _want(directory, settings, [Wanted(tuple(hrefs), kind=kind) for kind, hrefs in by_kind.items()])
    for reason in passed_over[:SHOWN]:
        print(f"passed over: {reason}")
    if len(passed_over) > SHOWN:
        print(f"passed over: {len(passed_over) - SHOWN:,} more")


def _known(directory: Path, urls: Sequence[Url], passed_over: list[str]) -> Iterator[tuple[str, str]]:
    """(URL, kind) of those that can be fetched again: they ended once and are not on the blacklist. `passed_over` gets
    a sentence for each of the others."""
    with opened_catalog(directory) as catalog:
        banned = [entry.domain for entry in catalog.blacklist()]
        for url in urls:
            page = catalog.page(url.key)
            if domain := next((domain for domain in banned if _is_below(url.host, domain)), None):
                lift = command("blacklist", directory, domain, "--lift")
                passed_over.append(f"{url.href} is on the blacklist: {lift} takes it off")
            elif page is None:
                add = command("resume", directory, url.href)
                passed_over.append(f"{url.href} has not been fetched yet: {add} adds it if it is new")
            else:
                yield url.href, page["kind"]


def _bring_back(directory: Path, settings: Settings, cause: str, domain: str = "") -> None:
    """Queues the URLs again that were refused for this cause, each at its own depth: pages and sitemap files."""
    by_depth: dict[tuple[int, str], list[str]] = {}
    with opened_catalog(directory) as catalog:
        causes = sorted(known for state, known in catalog.totals()["causes"] if state == State.REFUSED)
        if not domain and cause not in causes:
            raise WrongUse(f"nothing was refused for {printable(cause)}: {', '.join(causes) or 'nothing at all'} was")
        for url, host, depth, kind in catalog.refused_for(cause):
            if not domain or _is_below(host, domain):
                by_depth.setdefault((depth, kind), []).append(url)
    wanted = [Wanted(tuple(some), *place) for place, urls in by_depth.items() for some in _batches(urls)]
    _want(directory, settings, wanted)


def _is_below(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")


def _batches(urls: Sequence[str]) -> Iterator[Sequence[str]]:
    return (urls[start : start + MOST_WANTED] for start in range(0, len(urls), MOST_WANTED))


def _want(directory: Path, settings: Settings, wanted: Sequence[Wanted]) -> None:
    count = give(directory, settings, wanted)
    if count is None:
        print(f"the running crawl of {directory} has been told")
    else:
        print(f"{counted(count, 'URL')} queued again: {command('resume', directory)} fetches what is queued")


def _show(directory: Path) -> None:
    with opened_catalog(directory) as catalog:
        for entry in catalog.blacklist():
            print(f"{printable(entry.domain)}\t{printable(entry.reason)}")


def _tell_lost(directory: Path, gaps: Sequence["Gap"]) -> None:
    if not gaps:
        return print("the log can be read from its first frame to its last")
    for gap in gaps:
        around = [f"{word} {_time(at)}" for word, at in (("after", gap.after), ("before", gap.before)) if at]
        when = f", {' and '.join(around)}" if around else ""
        print(f"lost: {counted(gap.last - gap.first + 1, 'frame')} from {gap.first:,} on{when}")
    print(
        f"{command('resume', directory)} fetches the pages of that time again, and finds their links again. "
        "Give again what you gave then: seeds, and orders to blacklist, pause or recrawl. "
        "Files that could not be read are kept in log/ as *.damaged"
    )
    return None


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def _reading(done: int, of: int) -> None:
    """Of a URL store so large that it takes a while."""
    if sys.stderr.isatty():
        end = "" if done < of else "\n"
        print(
            f"\rurls/: {shown_bytes(done)} of {shown_bytes(of)} read ", end=end, file=ours(of_errors=True), flush=True
        )


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done:,} of {of:,} frames", end="" if done < of else "\n", file=ours(of_errors=True), flush=True)
