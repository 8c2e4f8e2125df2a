"""`hondius recrawl`."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from hondius.errors import WrongUse
from hondius.hints import quote_command
from hondius.model import RecrawlOrder, State
from hondius.native import Url
from hondius.opening import open_crawl, open_settings, place_of
from hondius.operate.cli.messages import say
from hondius.operate.cli.options import Directory
from hondius.operate.cli.orders import send_orders
from hondius.quantities import format_count
from hondius.sanitise import make_printable
from hondius.session.program_hooks import INSTEAD, describe_program_hooks, read_program_hooks
from hondius.settings import Settings

MAX_URLS_PER_ORDER = 10_000
"""URLs in one order."""
SHOWN = 10
"""URLs that are named one by one."""
_ENDED = {State.FAILED: "failed", State.REFUSED: "was refused"}


def register(app: typer.Typer) -> None:
    app.command("recrawl")(recrawl)


def recrawl(
    directory: Directory,
    urls: Annotated[
        list[str] | None,
        typer.Argument(help="URLs to fetch again; `-` reads them from standard input.", show_default=False),
    ] = None,
    urls_file: Annotated[Path | None, typer.Option("--from", help="A file of URLs to fetch again, one a line.")] = None,
    failed: Annotated[str | None, typer.Option(help="All URLs that failed for this cause, like dns_nxdomain.")] = None,
    refused: Annotated[str | None, typer.Option(help="All URLs refused for this cause, like no_novelty.")] = None,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh", help="Fetch whole pages even if they have not changed, as when archived copies cannot be read."
        ),
    ] = False,
) -> None:
    """Fetch URLs again, each at the depth that it has. URLs that you name come before all others: at once if the crawl
    is running, otherwise when it is resumed."""
    settings = open_settings(directory)
    named = bool(urls) or urls_file is not None
    if not named and failed is None and refused is None:
        raise WrongUse("recrawl needs URLs, --from FILE, --failed CAUSE or --refused CAUSE, like --refused no_novelty")
    for state, cause in ((State.FAILED, failed), (State.REFUSED, refused)):
        if cause is not None:
            requeue_ended(directory, settings, state, cause, fresh=fresh)
    if named:
        _requeue_named(directory, settings, _read_urls(urls or [], urls_file, settings), fresh)


def _read_urls(urls: Sequence[str], file: Path | None, settings: Settings) -> list[Url]:
    """Lines that are no URLs are skipped and reported, as in a file of seeds."""
    from hondius.session.seed_input import open_seed_source, report_skipped_lines

    source = open_seed_source(urls, file, settings)
    assert source is not None
    found: list[Url] = []
    while (some := source.wait()) is not None:
        found += [seed.url for seed in some.seeds]
        source.take()
    report_skipped_lines(source, say)
    return found


def _requeue_named(directory: Path, settings: Settings, urls: Sequence[Url], fresh: bool) -> None:
    by_place: dict[tuple[int, str], list[str]] = {}
    passed_over: list[str] = []
    for href, depth, kind in _find_fetched(directory, urls, passed_over):
        by_place.setdefault((depth, kind), []).append(href)
    if not by_place:
        if not passed_over:
            raise WrongUse("recrawl was given no URLs")
        raise WrongUse(
            passed_over[0] if len(passed_over) == 1 else f"none of them can be fetched again: {passed_over[0]}"
        )
    _order_recrawl(directory, settings, _make_orders(by_place, fresh=fresh, at_once=True))
    for reason in passed_over[:SHOWN]:
        print(f"skipped: {reason}")
    if len(passed_over) > SHOWN:
        print(f"skipped: {len(passed_over) - SHOWN:,} more")


def _find_fetched(directory: Path, urls: Sequence[Url], passed_over: list[str]) -> Iterator[tuple[str, int, str]]:
    """(URL, depth, kind) of those that can be fetched again: they have ended and are not on the blacklist. Adds a
    sentence to `passed_over` for each of the others."""
    with open_crawl(directory) as crawl:
        banned = [entry.domain for entry in crawl.catalog.blacklist()]
        for url in urls:
            page = crawl.catalog.page(url.key)
            if domain := next((domain for domain in banned if is_in_domain(url.host, domain)), None):
                lift = quote_command("blacklist", directory, domain, "--lift")
                passed_over.append(f"{url.href} is on the blacklist: {lift} takes it off")
            elif page is None:
                is_running = place_of(directory).holder() is not None
                add = quote_command("seeds" if is_running else "resume", directory, url.href)
                passed_over.append(f"{url.href} has not been fetched yet: {add} adds it if it is new")
            else:
                yield url.href, page["depth"], page["kind"]


def requeue_ended(
    directory: Path, settings: Settings, state: State, cause: str, domain: str = "", *, fresh: bool = False
) -> None:
    """Queues the pages and sitemap files again that ended so, each at its own depth."""
    by_place: dict[tuple[int, str], list[str]] = {}
    with open_crawl(directory) as crawl:
        totals = crawl.catalog.totals()
        counts = [item for kind in ("causes", "sitemaps", "requisites") for item in totals[kind].items()]
        causes = sorted({known for (of, known), count in counts if of == state and count})
        if not domain and cause not in causes:
            known = f"the causes in this crawl are {', '.join(causes)}" if causes else f"no URL {_ENDED[state]} at all"
            raise WrongUse(f"no URL {_ENDED[state]} for {make_printable(cause)}: {known}")
        for url, host, depth, kind in crawl.catalog.list_ended_for(state, cause):
            if not domain or is_in_domain(host, domain):
                by_place.setdefault((depth, kind), []).append(url)
    if by_place:
        _order_recrawl(directory, settings, _make_orders(by_place, fresh=fresh, at_once=False))


def _make_orders(
    by_place: Mapping[tuple[int, str], Sequence[str]], *, fresh: bool, at_once: bool
) -> Sequence[RecrawlOrder]:
    """`by_place`: URLs by depth and kind."""
    return [
        RecrawlOrder(tuple(some), depth, kind, fresh, at_once)
        for (depth, kind), urls in by_place.items()
        for some in _split(urls)
    ]


def is_in_domain(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")


def _split(urls: Sequence[str]) -> Iterator[Sequence[str]]:
    return (urls[start : start + MAX_URLS_PER_ORDER] for start in range(0, len(urls), MAX_URLS_PER_ORDER))


def _order_recrawl(directory: Path, settings: Settings, wanted: Sequence[RecrawlOrder]) -> None:
    count = send_orders(directory, settings, wanted)
    if count is None:
        sent = format_count(sum(len(order.urls) for order in wanted), "URL")
        print(f"the order to fetch {sent} again was sent to the running crawl of {directory}")
    else:
        print(f"{format_count(count, 'URL')} queued again: {quote_command('resume', directory)} fetches what is queued")
        if hooks := read_program_hooks(place_of(directory)):
            print(f"{describe_program_hooks(hooks)}, and `resume` does not have them: {INSTEAD}")
