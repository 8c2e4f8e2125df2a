"""The summary of a run, as text or as one JSON object."""

import json
import resource
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hondius.errors import HondiusError
from hondius.files import CRAWL_LOG
from hondius.hints import format_command, quote_command
from hondius.model import ALL_FAILED, INTERNAL, HostOrder, State
from hondius.opening import open_crawl
from hondius.operate.cli.display.failed_seeds import FailedSeed, format_failed_seeds, list_failed_seeds
from hondius.operate.cli.host_restrictions import CrawlClock, list_pauses, make_crawl_clock
from hondius.operate.cli.quantities import describe_order, format_bytes, format_count, format_seconds
from hondius.operate.cli.queue import Queue, describe_due, measure_queue, read_queue
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
    "tls_failed": "`hondius explain` says what was wrong; certificates of your own are trusted with --ca-file FILE",
}
STOP_REASONS = {
    "done": "everything in reach has been crawled",
    "max_pages": "--max-pages was reached",
    "max_bytes": "--max-bytes was reached",
    "max_time": "--max-time was reached",
    "max_pages_per_host": "every host left has reached --max-pages-per-host",
    "max_pages_per_domain": "every domain left has reached scope.max_pages_per_domain",
    "max_hosts_per_domain": "every host left is of a domain that has reached scope.max_hosts_per_domain",
    "max_hosts_per_address": "every host left is at an address that has reached scope.max_hosts_per_address",
    "interrupted": "interrupted",
    ALL_FAILED: "internal failures in a row on many hosts, and no success in between",
    INTERNAL: "every host left met internal failures",
}


LIMIT_OPTIONS = {
    "max_pages": ("limits", "--max-pages"),
    "max_bytes": ("limits", "--max-bytes"),
    "max_pages_per_host": ("scope", "--max-pages-per-host"),
    "max_pages_per_domain": ("scope", "--set=scope.max_pages_per_domain="),
    "max_hosts_per_address": ("scope", "--set=scope.max_hosts_per_address="),
}
"""Limits that end a run: the section of each, and the option that raises it."""


@dataclass(frozen=True)
class RunEnd:
    """What the summary needs from the crawl before it is closed."""

    statistics: "Statistics"
    hosts: int
    reason: str
    queue: Queue
    paused: list[HostOrder]
    """Hosts that the operator paused."""
    failed_seeds: list[FailedSeed]
    """The result of each seed, if no host returned anything useful."""
    raised: tuple[str, ...] = ()
    """Options of `resume` that raise the limit which ended the run or kept URLs from being fetched."""
    exceeded: str = ""
    """By how much the crawl exceeds the limit that ended the run; empty if it does not."""
    has_media: bool = False
    """Whether `--media` is on."""

    @classmethod
    async def from_crawl(cls, crawl: "OpenCrawl", reason: str) -> "RunEnd":
        queue = measure_queue(crawl)
        clock = make_crawl_clock(queue, is_running=True)
        return cls(
            statistics=crawl.statistics,
            hosts=(await crawl.ask(lambda catalog: catalog.totals()))["hosts"],
            reason=reason,
            queue=queue,
            paused=await crawl.ask(lambda catalog: list_pauses(catalog, clock)),
            failed_seeds=await crawl.ask(lambda catalog: list_failed_seeds(catalog, crawl.statistics)),
            raised=_suggest_options(reason, crawl.settings, crawl.statistics, queue),
            exceeded=_describe_excess(reason, crawl.settings, crawl.statistics),
            has_media=crawl.settings.scope.media,
        )

    @classmethod
    def from_place(cls, place: Place, reason: str, now: float) -> "RunEnd":
        """For a run that was stopped before its stores were open: the state that the previous run left."""
        from hondius.crawler.statistics import Statistics

        totals: dict[str, Any] = {"states": {}, "causes": {}, "sitemaps": {}}
        totals |= {"wire_bytes": 0, "fetches": 0, "refused_more": 0, "unread_links": 0, "hosts": 0}
        paused: list[HostOrder] = []
        with suppress(HondiusError), open_crawl(Path(place.name)) as crawl:
            paused = list_pauses(crawl.catalog, CrawlClock())
            totals = crawl.catalog.totals()
        queue = read_queue(place) or Queue(now, 0, 0, 0, 0, 0, None, 0, {})
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
    has_media: bool = False
    truncated_this_run: int = 0
    internal_failures: int = 0
    """Bugs of Hondius met in this run, including those that delayed a host without failing a URL."""

    @classmethod
    def make(cls, place: Place, ended: RunEnd, seconds: float, continued: bool) -> "Summary":
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
            has_media=ended.has_media,
            truncated_this_run=statistics.truncated_this_run,
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
        "parked": summary.queue.parked,
        "paused": [order.host for order in summary.paused],
        "sitemaps": sum(summary.sitemaps.values()),
        "failed_seeds": [{"url": seed.url, "cause": seed.cause} for seed in summary.failed_seeds],
        "internal_failures": summary.internal_failures,
        "directory": str(summary.directory),
    }
    print(json.dumps(figures))


def print_summary(summary: Summary) -> None:
    from hondius.operate.cli.display.console import make_console

    console = make_console()
    rate = summary.pages_this_run / summary.seconds if summary.seconds else 0.0
    sizes = f"{format_bytes(summary.bytes)} fetched, {format_bytes(summary.warc_bytes)} archived"
    contacted = f"{format_count(summary.hosts, 'host')} contacted"
    console.print(f"\n[bold]{format_count(summary.pages, 'page')}[/], {contacted}, {sizes}")
    fetched = f"{format_count(summary.pages_this_run, 'page')} fetched in {format_seconds(summary.seconds)}"
    console.print(f"this run: {fetched} ({rate:.1f} pages/s)")
    console.print(f"stopped: {_describe_stop(summary)}\n", soft_wrap=True, markup=False)
    for line in format_failed_seeds(summary.failed_seeds):
        console.print(line, soft_wrap=True, markup=False)
    if any(summary.causes.values()):
        console.print(build_states_table(summary.causes))
    if line := describe_sitemaps(summary.sitemaps):
        console.print(line)
    if summary.refused_more:
        console.print(describe_refused_links(summary.refused_more))
    if summary.unread_links:
        console.print(describe_unread_links(summary.unread_links))
    if count := summary.truncated_this_run:
        were = "page was" if count == 1 else "pages were"
        console.print(f"{count:,} {were} longer than fetch.page_cap in this run: the rest was not read")
    for line in _list_hints(summary):
        console.print(line, soft_wrap=True, markup=False)
    waiting = {} if summary.failed_seeds else summary.waiting
    for origin, reason in list(waiting.items())[:SHOWN_WAITING]:
        console.print(f"{origin} waits: {reason}", soft_wrap=True, markup=False)
    if len(waiting) > SHOWN_WAITING:
        console.print(f"… and waiting: {format_count(len(waiting) - SHOWN_WAITING, 'other origin')}")
    for host, delay in list(summary.very_slow.items())[:SHOWN_WAITING]:
        asked = f"its robots.txt asks for {format_seconds(delay)} between two requests"
        console.print(f"{host} is crawled slowly: {asked}", soft_wrap=True, markup=False)
    if len(summary.very_slow) > SHOWN_WAITING:
        console.print(f"… and as slowly: {format_count(len(summary.very_slow) - SHOWN_WAITING, 'other host')}")
    for order in summary.paused[:SHOWN_WAITING]:
        console.print(format_order(summary.directory, order), soft_wrap=True, markup=False)
    if len(summary.paused) > SHOWN_WAITING:
        console.print(f"… and paused: {format_count(len(summary.paused) - SHOWN_WAITING, 'other host')}")
    print_next_commands(console, summary)


def _list_hints(summary: Summary) -> Iterator[str]:
    """Skips causes that are explained for the seeds already."""
    met = {cause for (_, cause), count in summary.causes.items() if count}
    met -= {seed.cause for seed in summary.failed_seeds}
    yield from (f"{cause}: {HINTS[cause]}" for cause in sorted(met & HINTS.keys()))
    if "type" in met and not summary.has_media:
        again = quote_command("recrawl", summary.directory, "--refused", "type")
        resume = quote_command("resume", summary.directory, "--media")
        yield f"type: {again}, then {resume} fetch images, media and documents like PDF; --scripts fetches scripts"


def describe_internal_failures(count: int, directory: Path) -> str:
    """One line that says where to find the tracebacks."""
    explain = quote_command("explain", directory, "URL")
    return (
        f"{format_count(count, 'internal failure')} (bugs of Hondius): the tracebacks are in {directory / CRAWL_LOG}, "
        f"and {explain} shows that of one URL; please report them"
    )


def describe_unread_links(links: int) -> str:
    cut_off = "was cut off" if links == 1 else "were cut off"
    return f"{format_count(links, 'link')} of very long pages and sitemaps {cut_off}, not read (see fetch.page_cap)"


def describe_refused_links(more: int) -> str:
    return f"{format_count(more, 'more link')} {'was' if more == 1 else 'were'} refused and only counted, not stored"


def format_order(directory: Path, order: HostOrder) -> str:
    unpause = quote_command("unpause", directory, order.host)
    return f"{order.host}: {describe_order(order)} ({order.reason}); {unpause} ends this"


def describe_sitemaps(causes: Mapping[tuple[str, str], int]) -> str:
    """Sitemap files do not count as pages, but an export has a row for each."""
    states: dict[str, int] = {}
    for (state, _), count in causes.items():
        states[state] = states.get(state, 0) + count
    listed = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()) if count)
    return f"in addition, {format_count(sum(states.values()), 'sitemap file')}: {listed}" if listed else ""


def _describe_stop(summary: Summary) -> str:
    if summary.failed_seeds and summary.stop_reason in ("done", "waiting"):
        return "nothing could be fetched"
    if summary.stop_reason == "done":
        return _describe_completion(summary)
    if summary.stop_reason == "max_time" and not summary.pages:
        return _describe_timeout(summary)
    if summary.stop_reason != "waiting":
        return f"{STOP_REASONS.get(summary.stop_reason, summary.stop_reason)}{summary.exceeded}"
    waits = "waits" if summary.queue.urls == 1 else "wait"
    left = f"{format_count(summary.queue.urls, 'URL')} on {format_count(summary.queue.hosts, 'host')} {waits}"
    if summary.queue.next_at is None:
        return left
    due = describe_due(summary.queue.next_at, summary.queue.at)
    return f"{left}, and the next request {due}; {quote_command('resume', summary.directory)} continues then"


def _describe_timeout(summary: Summary) -> str:
    """For a crawl that has no page yet."""
    if summary.failed_seeds:
        return f"nothing could be fetched before {STOP_REASONS['max_time']}"
    return f"{STOP_REASONS['max_time']} before any page was fetched: allow more time"


def _describe_completion(summary: Summary) -> str:
    """Says that nothing is left to fetch, and which URLs were not fetched."""
    parked, banned = summary.queue.parked, summary.causes.get((State.REFUSED, "blacklisted"), 0)
    left = [f"{format_count(parked, 'URL')} {'waits' if parked == 1 else 'wait'} beyond --max-depth"] if parked else []
    left += [f"{format_count(banned, 'URL')} {'is' if banned == 1 else 'are'} on the blacklist"] if banned else []
    return f"{STOP_REASONS['done']}{' but ' if left else ''}{' and '.join(left)}"


def suggest_raised_limit(reason: str, settings: Settings, statistics: "Statistics") -> tuple[str, ...]:
    """Options that raise the limit which ended the run; without them the next run would stop at once. Doubles the
    limit, or the actual usage if that is higher: the last answer may have exceeded the limit by far."""
    section, option = LIMIT_OPTIONS.get(reason, ("", ""))
    limit = getattr(getattr(settings, section), reason) if section else None
    if limit is None:
        return ()
    more = 2 * max(limit, _measure_usage(reason, statistics))
    return (f"{option}{more}",) if option.endswith("=") else (option, f"{more}")


def _suggest_options(reason: str, settings: Settings, statistics: "Statistics", queue: Queue) -> tuple[str, ...]:
    depth = settings.scope.max_depth
    if reason == "done" and queue.parked and depth is not None:
        return ("--max-depth", f"{depth + 1}")
    return suggest_raised_limit(reason, settings, statistics)


def _describe_excess(reason: str, settings: Settings, statistics: "Statistics") -> str:
    limit = {"max_pages": settings.limits.max_pages, "max_bytes": settings.limits.max_bytes}.get(reason)
    amount = _measure_usage(reason, statistics)
    if limit is None or amount <= limit:
        return ""
    if reason == "max_pages":
        return f": it is {limit:,}, and this crawl has {format_count(amount, 'page')}"
    return f": it is {format_bytes(limit)}, and this crawl has fetched {format_bytes(amount)}"


def _measure_usage(reason: str, statistics: "Statistics") -> int:
    """The current value of what the limit counts; 0 if the limit is not one of the whole crawl."""
    return {"max_pages": statistics.pages, "max_bytes": statistics.wire_bytes}.get(reason, 0)


def print_next_commands(console: "Console", summary: Summary) -> None:
    last: tuple[str | Path, ...] = ("resume", summary.directory, *summary.raised)
    export = ("export", summary.directory, "--format", "jsonl", "--text", "-o", "pages.jsonl")
    commands: list[tuple[str | Path, ...]] = [("status", summary.directory)]
    if summary.pages:
        is_over = summary.stop_reason == "done" and not summary.raised
        commands += [export, ("verify", summary.directory) if is_over else last]
    elif summary.stop_reason != "done":
        commands += [last]
    console.print("\nTry next:")
    for words in commands:
        console.print(f"  {format_command(*words)}", soft_wrap=True, markup=False)


def build_states_table(causes: Mapping[tuple[str, str], int]) -> "Table":
    """How many URLs ended in which state, by cause."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("state")
    table.add_column("cause")
    table.add_column("URLs", justify="right")
    for (state, cause), count in sorted(causes.items(), key=lambda item: (item[0][0], -item[1])):
        if count:
            table.add_row(state, cause or "-", f"{count:,}")
    return table
