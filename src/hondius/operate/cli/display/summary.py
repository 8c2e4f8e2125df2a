"""How a run ended: for people, or as one JSON object."""

import json
import resource
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hondius.errors import HondiusError
from hondius.files import CRAWL_LOG
from hondius.hints import format_command, quote_command
from hondius.model import ALL_FAILED, INTERNAL, HostOrder, State
from hondius.opening import open_crawl
from hondius.operate.cli.display.causes import explain_cause
from hondius.operate.cli.display.failed_seeds import FailedSeed, failed_seed_lines, failed_seeds
from hondius.operate.cli.held import CrawlClock, clock_of, paused_orders
from hondius.operate.cli.quantities import counted, order_in_words, shown_bytes, shown_seconds
from hondius.operate.cli.queue import Queue, due_in, last_written, queue_of
from hondius.ports import Place
from hondius.settings import Settings

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from hondius.crawler.assemble import OpenCrawl
    from hondius.crawler.statistics import Statistics

SHOWN_WAITING = 5
HINTS = {
    "address_refused": "private and loopback addresses are contacted only with --allow-private ADDRESS",
    "type": explain_cause("type", "").help,
    "tls_failed": "`hondius explain` says what was wrong; certificates of your own are trusted with --ca-file FILE",
}
REASONS = {
    "done": "everything in reach has been crawled",
    "max_pages": "--max-pages was reached",
    "max_bytes": "--max-bytes was reached",
    "max_time": "--max-time was reached",
    "max_pages_per_host": "every host left has reached --max-pages-per-host",
    "max_pages_per_domain": "every domain left has reached scope.max_pages_per_domain",
    "max_hosts_per_domain": "every host left is of a domain that has reached scope.max_hosts_per_domain",
    "max_hosts_per_address": "every host left is at an address that has reached scope.max_hosts_per_address",
    "interrupted": "interrupted",
    ALL_FAILED: "one internal failure after the other, on many hosts, and nothing good between",
    INTERNAL: "every host left met internal failures",
}


OPTIONS = {
    "max_pages": ("limits", "--max-pages"),
    "max_bytes": ("limits", "--max-bytes"),
    "max_pages_per_host": ("scope", "--max-pages-per-host"),
    "max_pages_per_domain": ("scope", "--set=scope.max_pages_per_domain="),
    "max_hosts_per_address": ("scope", "--set=scope.max_hosts_per_address="),
}
"""Limits that end a run: their section, and the option that raises them."""


@dataclass(frozen=True)
class Ended:
    """What is told of a run by the crawl itself, before it is closed."""

    statistics: "Statistics"
    hosts: int
    reason: str
    queue: Queue
    paused: list[HostOrder]
    """Hosts that are not contacted because the operator said so."""
    failed_seeds: list[FailedSeed]
    """Where nothing good came from any host: what became of the seeds."""
    raised: tuple[str, ...] = ()
    """Options of `resume` that raise the limit which ended the run or left URLs out."""
    exceeded: str = ""
    """How much more there is than the limit that ended the run allows; empty if there is no more."""

    @classmethod
    async def of(cls, crawl: "OpenCrawl", reason: str) -> "Ended":
        queue = queue_of(crawl)
        clock = clock_of(queue, is_running=True)
        return cls(
            statistics=crawl.statistics,
            hosts=(await crawl.ask(lambda catalog: catalog.totals()))["hosts"],
            reason=reason,
            queue=queue,
            paused=await crawl.ask(lambda catalog: paused_orders(catalog, clock)),
            failed_seeds=await crawl.ask(lambda catalog: failed_seeds(catalog, crawl.statistics)),
            raised=_raised(reason, crawl.settings, crawl.statistics, queue),
            exceeded=_exceeded(reason, crawl.settings, crawl.statistics),
        )

    @classmethod
    def unopened(cls, place: Place, reason: str, now: float) -> "Ended":
        """Of a run that was told to end before its stores were open: what is known from before it."""
        from hondius.crawler.statistics import Statistics

        totals: dict[str, Any] = {"states": {}, "causes": {}, "sitemaps": {}}
        totals |= {"wire_bytes": 0, "fetches": 0, "refused_more": 0, "unread_links": 0, "hosts": 0}
        paused: list[HostOrder] = []
        with suppress(HondiusError), open_crawl(Path(place.name)) as crawl:
            paused = paused_orders(crawl.catalog, CrawlClock())
            totals = crawl.catalog.totals()
        queue = last_written(place) or Queue(now, 0, 0, 0, 0, 0, None, 0, {})
        return cls(Statistics(totals, now), totals["hosts"], reason, queue, paused, failed_seeds=[])


@dataclass(frozen=True)
class Summary:
    directory: Path
    stop_reason: str
    seconds: float
    continued: bool
    pages: int
    pages_this_run: int
    states: dict[str, int]
    causes: dict[tuple[str, str], int]
    hosts: int
    bytes: int
    warc_bytes: int
    waiting: dict[str, str]
    very_slow: dict[str, float]
    refused_more: int
    unread_links: int
    queue: Queue
    paused: list[HostOrder]
    sitemaps: dict[tuple[str, str], int]
    failed_seeds: list[FailedSeed]
    raised: tuple[str, ...] = ()
    exceeded: str = ""
    internal_failures: int = 0
    """Of this run: bugs of ours, also those that made a host wait and ended no URL."""

    @classmethod
    def of(cls, place: Place, ended: Ended, seconds: float, continued: bool) -> "Summary":
        statistics = ended.statistics
        return cls(
            directory=Path(place.name),
            stop_reason=ended.reason,
            seconds=seconds,
            continued=continued,
            pages=statistics.pages,
            pages_this_run=statistics.pages_this_run,
            states=dict(statistics.states),
            causes=dict(statistics.causes),
            hosts=ended.hosts,
            bytes=statistics.wire_bytes,
            warc_bytes=place.open_reader().size(),
            waiting=dict(statistics.waiting),
            very_slow=dict(statistics.very_slow),
            refused_more=statistics.refused_more,
            unread_links=statistics.unread_links,
            queue=ended.queue,
            paused=ended.paused if ended.reason != "done" else [],
            sitemaps=dict(statistics.sitemaps),
            failed_seeds=ended.failed_seeds,
            raised=ended.raised,
            exceeded=ended.exceeded,
            internal_failures=statistics.internal_failures,
        )


def print_json(summary: Summary) -> None:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    figures: dict[str, Any] = {
        "pages": summary.pages,
        "pages_this_run": summary.pages_this_run,
        "failed": summary.states.get(State.FAILED, 0),
        "blocked": summary.states.get(State.BLOCKED, 0),
        "duplicates": summary.states.get(State.DUPLICATE, 0),
        "hosts": summary.hosts,
        "seconds": round(summary.seconds, 3),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 3),
        "max_rss_bytes": usage.ru_maxrss * 1024,
        "bytes": summary.bytes,
        "warc_bytes": summary.warc_bytes,
        "stop_reason": summary.stop_reason,
        "states": summary.states,
        "waiting": len(summary.waiting),
        "very_slow": len(summary.very_slow),
        "refused_more": summary.refused_more,
        "unread_links": summary.unread_links,
        "queued": summary.queue.urls,
        "paused": [order.host for order in summary.paused],
        "sitemaps": sum(summary.sitemaps.values()),
        "failed_seeds": [{"url": seed.url, "cause": seed.cause} for seed in summary.failed_seeds],
        "internal_failures": summary.internal_failures,
        "directory": str(summary.directory),
    }
    print(json.dumps(figures))


def print_summary(summary: Summary) -> None:
    from hondius.operate.cli.display.shown import make_console

    console = make_console()
    rate = summary.pages_this_run / summary.seconds if summary.seconds else 0.0
    sizes = f"{shown_bytes(summary.bytes)} fetched, {shown_bytes(summary.warc_bytes)} archived"
    contacted = f"{counted(summary.hosts, 'host')} contacted"
    console.print(f"\n[bold]{counted(summary.pages, 'page')}[/], {contacted}, {sizes}")
    fetched = f"{counted(summary.pages_this_run, 'page')} fetched in {shown_seconds(summary.seconds)}"
    console.print(f"this run: {fetched} ({rate:.1f} pages/s)")
    console.print(f"stopped: {_reason(summary)}\n", soft_wrap=True, markup=False)
    for line in failed_seed_lines(summary.failed_seeds):
        console.print(line, soft_wrap=True, markup=False)
    if any(summary.causes.values()):
        console.print(states_table(summary.causes))
    if line := sitemap_line(summary.sitemaps):
        console.print(line)
    if summary.refused_more:
        console.print(refused_in_words(summary.refused_more))
    if summary.unread_links:
        console.print(unread_in_words(summary.unread_links))
    for cause in sorted({cause for (_, cause), count in summary.causes.items() if count} & HINTS.keys()):
        console.print(f"{cause}: {HINTS[cause]}", soft_wrap=True)
    waiting = {} if summary.failed_seeds else summary.waiting
    for origin, reason in list(waiting.items())[:SHOWN_WAITING]:
        console.print(f"{origin} waits: {reason}", soft_wrap=True, markup=False)
    if len(waiting) > SHOWN_WAITING:
        console.print(f"… and waiting: {counted(len(waiting) - SHOWN_WAITING, 'other origin')}")
    for host, delay in list(summary.very_slow.items())[:SHOWN_WAITING]:
        asked = f"its robots.txt asks for {shown_seconds(delay)} between two requests"
        console.print(f"{host} is crawled slowly: {asked}", soft_wrap=True, markup=False)
    if len(summary.very_slow) > SHOWN_WAITING:
        console.print(f"… and as slowly: {counted(len(summary.very_slow) - SHOWN_WAITING, 'other host')}")
    for order in summary.paused[:SHOWN_WAITING]:
        console.print(order_line(summary.directory, order), soft_wrap=True, markup=False)
    if len(summary.paused) > SHOWN_WAITING:
        console.print(f"… and paused: {counted(len(summary.paused) - SHOWN_WAITING, 'other host')}")
    print_next(console, summary)


def internal_in_words(count: int, directory: Path) -> str:
    """Where to look, in one line."""
    explain = quote_command("explain", directory, "URL")
    return (
        f"{counted(count, 'internal failure')}, which {'is a bug' if count == 1 else 'are bugs'} of Hondius: "
        f"{directory / CRAWL_LOG} has the tracebacks, and {explain} that of a URL; please report them"
    )


def unread_in_words(links: int) -> str:
    were = "was" if links == 1 else "were"
    return f"{counted(links, 'link')} of very long pages and sitemaps {were} cut off by a cap, not read"


def refused_in_words(more: int) -> str:
    return f"{counted(more, 'more link')} {'was' if more == 1 else 'were'} refused and counted, not kept"


def order_line(directory: Path, order: HostOrder) -> str:
    unpause = quote_command("unpause", directory, order.host)
    return f"{order.host}: {order_in_words(order)} ({order.reason}); {unpause} lets it go"


def sitemap_line(causes: Mapping[tuple[str, str], int]) -> str:
    """Sitemap files are read for their URLs and are no pages; an export has a row for each."""
    states: dict[str, int] = {}
    for (state, _), count in causes.items():
        states[state] = states.get(state, 0) + count
    listed = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()) if count)
    return f"besides, {counted(sum(states.values()), 'sitemap file')}: {listed}" if listed else ""


def _reason(summary: Summary) -> str:
    if summary.failed_seeds and summary.stop_reason in ("done", "waiting"):
        return "nothing could be fetched"
    if summary.stop_reason == "done":
        return _done(summary)
    if summary.stop_reason == "max_time" and not summary.pages:
        return _out_of_time(summary)
    if summary.stop_reason != "waiting":
        return f"{REASONS.get(summary.stop_reason, summary.stop_reason)}{summary.exceeded}"
    waits = "waits" if summary.queue.urls == 1 else "wait"
    left = f"{counted(summary.queue.urls, 'URL')} on {counted(summary.queue.hosts, 'host')} {waits}"
    if summary.queue.next_at is None:
        return left
    due = due_in(summary.queue.next_at, summary.queue.at)
    return f"{left}, and the next turn {due}; {quote_command('resume', summary.directory)} goes on then"


def _out_of_time(summary: Summary) -> str:
    """Of a crawl that has no page."""
    if summary.failed_seeds:
        return f"nothing could be fetched before {REASONS['max_time']}"
    return f"{REASONS['max_time']} before any page came in this run: give it more time"


def _done(summary: Summary) -> str:
    """Says that nothing is left to do, and which URLs were left out."""
    parked, banned = summary.queue.parked, summary.causes.get((State.REFUSED, "blacklisted"), 0)
    left = [f"{counted(parked, 'URL')} {'waits' if parked == 1 else 'wait'} beyond --max-depth"] if parked else []
    left += [f"{counted(banned, 'URL')} {'is' if banned == 1 else 'are'} on the blacklist"] if banned else []
    return f"{REASONS['done']}{' but ' if left else ''}{' and '.join(left)}"


def raised_limit(reason: str, settings: Settings, statistics: "Statistics") -> tuple[str, ...]:
    """Options that raise the limit which ended the run: without them, the next run would stop at once. The last answer
    may have gone far beyond the limit."""
    section, option = OPTIONS.get(reason, ("", ""))
    limit = getattr(getattr(settings, section), reason) if section else None
    if limit is None:
        return ()
    more = 2 * max(limit, _amount(reason, statistics))
    return (f"{option}{more}",) if option.endswith("=") else (option, f"{more}")


def _raised(reason: str, settings: Settings, statistics: "Statistics", queue: Queue) -> tuple[str, ...]:
    depth = settings.scope.max_depth
    if reason == "done" and queue.parked and depth is not None:
        return ("--max-depth", f"{depth + 1}")
    return raised_limit(reason, settings, statistics)


def _exceeded(reason: str, settings: Settings, statistics: "Statistics") -> str:
    limit = {"max_pages": settings.limits.max_pages, "max_bytes": settings.limits.max_bytes}.get(reason)
    amount = _amount(reason, statistics)
    if limit is None or amount <= limit:
        return ""
    if reason == "max_pages":
        return f": it is {limit:,}, and this crawl has {counted(amount, 'page')}"
    return f": it is {shown_bytes(limit)}, and this crawl has fetched {shown_bytes(amount)}"


def _amount(reason: str, statistics: "Statistics") -> int:
    """How much there is of what a limit of the whole crawl counts; 0 for other limits."""
    return {"max_pages": statistics.pages, "max_bytes": statistics.wire_bytes}.get(reason, 0)


def print_next(console: "Console", summary: Summary) -> None:
    last: tuple[str | Path, ...] = ("resume", summary.directory, *summary.raised)
    if summary.stop_reason == "done" and not summary.raised:
        last = ("verify", summary.directory)
    export = ("export", summary.directory, "--format", "jsonl", "--text", "-o", "pages.jsonl")
    console.print("\nTry next:")
    for words in (("status", summary.directory), export, last):
        console.print(f"  {format_command(*words)}", soft_wrap=True, markup=False)


def states_table(causes: Mapping[tuple[str, str], int]) -> "Table":
    """How many URLs ended how."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("state")
    table.add_column("cause")
    table.add_column("URLs", justify="right")
    for (state, cause), count in sorted(causes.items(), key=lambda item: (item[0][0], -item[1])):
        if count:
            table.add_row(state, cause or "-", f"{count:,}")
    return table
