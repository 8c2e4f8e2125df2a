"""The figures of a run, when it is over."""

import resource
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hondius.errors import HondiusError
from hondius.model import HostOrder, State
from hondius.opening import open_crawl
from hondius.ports import Place
from hondius.quantities import format_bytes, format_count
from hondius.session.failed_seeds import FailedSeed, list_failed_seeds
from hondius.session.host_restrictions import CrawlClock, list_pauses, make_crawl_clock
from hondius.session.queue import Queue, measure_queue, read_queue
from hondius.settings import Settings

if TYPE_CHECKING:
    from hondius.crawler.assemble import OpenCrawl
    from hondius.crawler.statistics import Statistics

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

        totals: dict[str, Any] = {"states": {}, "causes": {}, "sitemaps": {}, "requisites": {}}
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
    requisites: dict[tuple[str, str], int]
    failed_seeds: list[FailedSeed]
    raised: tuple[str, ...] = ()
    exceeded: str = ""
    has_media: bool = False
    truncated_this_run: int = 0
    hook_failures: int = 0
    """Calls of hooks in this run that raised an exception or took too long."""
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
            requisites=dict(statistics.requisites),
            failed_seeds=ended.failed_seeds,
            raised=ended.raised,
            exceeded=ended.exceeded,
            has_media=ended.has_media,
            truncated_this_run=statistics.truncated_this_run,
            hook_failures=statistics.hook_failures,
            internal_failures=statistics.internal_failures,
        )


def list_figures(summary: Summary) -> dict[str, Any]:
    """What `--json` prints, and what `crawl.summary` has in Python."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {
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
        "requisites": sum(summary.requisites.values()),
        "failed_seeds": [{"url": seed.url, "cause": seed.cause} for seed in summary.failed_seeds],
        "hook_failures": summary.hook_failures,
        "internal_failures": summary.internal_failures,
        "directory": str(summary.directory),
    }


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
