"""`hondius recrawl`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from hondius.crawler.seeds import parse_arguments
from hondius.crawler.translation import make_identity
from hondius.errors import WrongUse
from hondius.hints import quote_command
from hondius.model import RecrawlOrder, State
from hondius.native import Url
from hondius.opening import open_crawl, open_settings
from hondius.operate.cli.options import Directory
from hondius.operate.cli.orders import send_orders
from hondius.quantities import format_count
from hondius.sanitise import make_printable
from hondius.settings import Settings

MAX_URLS_PER_ORDER = 10_000
"""URLs in one order."""
SHOWN = 10
"""URLs that are named one by one."""


def register(app: typer.Typer) -> None:
    app.command("recrawl")(recrawl)


def recrawl(
    directory: Directory,
    urls: Annotated[list[str] | None, typer.Argument(help="URLs to fetch again.", show_default=False)] = None,
    refused: Annotated[str | None, typer.Option(help="All URLs refused for this cause, like no_novelty.")] = None,
) -> None:
    """Fetch URLs again, before all others: at once if the crawl is running, otherwise when it is resumed."""
    settings = open_settings(directory)
    if refused is not None:
        requeue_refused(directory, settings, refused)
    if not urls:
        if refused is None:
            raise WrongUse("recrawl needs URLs, or --refused CAUSE, like --refused no_novelty")
        return
    seeds = parse_arguments(urls, make_identity(settings))
    by_kind: dict[str, list[str]] = {}
    passed_over: list[str] = []
    for href, kind in _find_fetched(directory, [seed.url for seed in seeds], passed_over):
        by_kind.setdefault(kind, []).append(href)
    if not by_kind:
        raise WrongUse(
            passed_over[0] if len(passed_over) == 1 else f"none of them can be fetched again: {passed_over[0]}"
        )
    _order_recrawl(directory, settings, [RecrawlOrder(tuple(hrefs), kind=kind) for kind, hrefs in by_kind.items()])
    for reason in passed_over[:SHOWN]:
        print(f"skipped: {reason}")
    if len(passed_over) > SHOWN:
        print(f"skipped: {len(passed_over) - SHOWN:,} more")


def _find_fetched(directory: Path, urls: Sequence[Url], passed_over: list[str]) -> Iterator[tuple[str, str]]:
    """(URL, kind) of those that can be fetched again: they have ended and are not on the blacklist. Adds a sentence to
    `passed_over` for each of the others."""
    with open_crawl(directory) as crawl:
        banned = [entry.domain for entry in crawl.catalog.blacklist()]
        for url in urls:
            page = crawl.catalog.page(url.key)
            if domain := next((domain for domain in banned if is_in_domain(url.host, domain)), None):
                lift = quote_command("blacklist", directory, domain, "--lift")
                passed_over.append(f"{url.href} is on the blacklist: {lift} takes it off")
            elif page is None:
                add = quote_command("resume", directory, url.href)
                passed_over.append(f"{url.href} has not been fetched yet: {add} adds it if it is new")
            else:
                yield url.href, page["kind"]


def requeue_refused(directory: Path, settings: Settings, cause: str, domain: str = "") -> None:
    """Queues the pages and sitemap files again that were refused for this cause, each at its own depth."""
    by_depth: dict[tuple[int, str], list[str]] = {}
    with open_crawl(directory) as crawl:
        causes = sorted(known for state, known in crawl.catalog.totals()["causes"] if state == State.REFUSED)
        if not domain and cause not in causes:
            known = f"causes here are {', '.join(causes)}" if causes else "nothing was refused at all"
            raise WrongUse(f"nothing was refused for {make_printable(cause)}: {known}")
        for url, host, depth, kind in crawl.catalog.list_refused_for(cause):
            if not domain or is_in_domain(host, domain):
                by_depth.setdefault((depth, kind), []).append(url)
    wanted = [RecrawlOrder(tuple(some), *place) for place, urls in by_depth.items() for some in _split(urls)]
    _order_recrawl(directory, settings, wanted)


def is_in_domain(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")


def _split(urls: Sequence[str]) -> Iterator[Sequence[str]]:
    return (urls[start : start + MAX_URLS_PER_ORDER] for start in range(0, len(urls), MAX_URLS_PER_ORDER))


def _order_recrawl(directory: Path, settings: Settings, wanted: Sequence[RecrawlOrder]) -> None:
    count = send_orders(directory, settings, wanted)
    if count is None:
        print(f"the order was sent to the running crawl of {directory}")
    else:
        print(f"{format_count(count, 'URL')} queued again: {quote_command('resume', directory)} fetches what is queued")
