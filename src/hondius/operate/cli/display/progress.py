"""Progress of a running crawl: a live panel on a terminal, otherwise a line every few seconds."""

import asyncio
import logging
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from hondius.crawler.assemble import OpenCrawl
from hondius.crawler.store_opening import Watch
from hondius.model import State
from hondius.operate.cli.display.forecast import Forecaster
from hondius.operate.cli.messages import say
from hondius.quantities import format_bytes, format_count, format_seconds
from hondius.session.seed_input import count_seeds_taken

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PANEL_INTERVAL = 0.5
LINE_INTERVAL = 5.0
LABEL_WIDTH = 11
"""A narrow terminal cuts values, never names."""
BAR_WIDTH = 40
SHOWN_CAUSES = 4
SHOWN_CIRCUITS = 2


_log = logging.getLogger("hondius.operate.progress")


class Progress:
    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self._said = 0.0
        self._paused = ""

    @cached_property
    def console(self) -> "Console":
        """Created on first use: importing `rich` takes longer than starting a small crawl."""
        from hondius.operate.cli.display.console import make_console

        return make_console(of_errors=True)

    @property
    def watch(self) -> Watch:
        return Watch(self.show_catch_up, _report_notice, self.report_pause)

    def report_pause(self, reason: str) -> None:
        """Reported in every mode: a crawl that waits for room on the disk looks like one that hangs."""
        if bool(reason) != bool(self._paused):
            _log.warning("paused: %s", reason) if reason else _log.info("there is room again")
            say(f"paused: {reason} and the crawl continues by itself" if reason else "there is room again: continuing")
        self._paused = reason

    def show_catch_up(self, done: int, of: int) -> None:
        """At the start after a crash, the views apply the frames of the log that they lack."""
        if not self.quiet and (time.monotonic() - self._said > 1 or done == of) and of > 100:
            self._said = time.monotonic()
            self.console.print(f"catching up with the log: {done:,} of {of:,} frames")


def _report_notice(text: str) -> None:
    _log.warning("%s", text)
    say(text)


@asynccontextmanager
async def show_while_running(progress: Progress, crawl: OpenCrawl) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(_watch_pauses(progress, crawl))]
    if not progress.quiet:
        showing = _show_panel(progress.console, crawl) if sys.stderr.isatty() else _print_lines(progress.console, crawl)
        tasks.append(asyncio.create_task(showing))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _watch_pauses(progress: Progress, crawl: OpenCrawl) -> None:
    while True:
        progress.report_pause(crawl.commit.paused)
        await asyncio.sleep(PANEL_INTERVAL)


async def _show_panel(console: "Console", crawl: OpenCrawl) -> None:
    from rich.live import Live

    forecaster = Forecaster(crawl.statistics.started_at)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while True:
            live.update(_build_table(crawl, forecaster), refresh=True)
            await asyncio.sleep(PANEL_INTERVAL)


async def _print_lines(console: "Console", crawl: OpenCrawl) -> None:
    forecaster = Forecaster(crawl.statistics.started_at)
    while True:
        await asyncio.sleep(LINE_INTERVAL)
        figures = _collect_figures(crawl, forecaster)
        console.print(" · ".join(f"{name} {value}" for name, value in figures), soft_wrap=True)


def _build_table(crawl: OpenCrawl, forecaster: Forecaster) -> "Table":
    from rich.markup import escape
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, min_width=LABEL_WIDTH)
    table.add_column(no_wrap=True, overflow="ellipsis")
    if (share := measure_progress(crawl, crawl.clock.now())) is not None:
        table.add_row("[dim]done[/]", ProgressBar(total=1.0, completed=share, width=BAR_WIDTH))
    for name, value in _collect_figures(crawl, forecaster):
        table.add_row(f"[dim]{name}[/]", escape(value))
    if crawl.statistics.newest:
        table.add_row("[dim]newest[/]", escape(crawl.statistics.newest))
    return table


def measure_progress(crawl: OpenCrawl, now: float) -> float | None:
    """The share of the nearest limit that is used up; None if there is no limit."""
    limits, statistics = crawl.settings.limits, crawl.statistics
    shares = [
        (statistics.pages, limits.max_pages),
        (statistics.wire_bytes, limits.max_bytes),
        (now - statistics.started_at, limits.max_time),
    ]
    known = [done / most for done, most in shares if most]
    return min(1.0, max(known)) if known else None


def _collect_figures(crawl: OpenCrawl, forecaster: Forecaster) -> list[tuple[str, str]]:
    now = crawl.clock.now()
    statistics, frontier = crawl.statistics, crawl.frontier
    counts = crawl.urls.counts()
    rate = statistics.compute_rate(now)
    failures = [
        (cause, count) for (state, cause), count in statistics.causes.items() if state == State.FAILED and count
    ]
    figures = [
        ("elapsed", format_seconds(max(0.0, now - statistics.started_at))),
        ("pages", f"{statistics.pages:,}" + _format_page_limit(crawl)),
        ("rate", f"{rate:.1f} pages/s"),
        ("queued", f"{format_count(counts['queued'], 'URL')} on {format_count(len(frontier), 'origin')}"),
        ("in progress", f"{crawl.run.in_flight:,}"),
        ("failed", format_causes(failures)),
        ("traffic", format_bytes(statistics.wire_bytes)),
        ("limited by", _describe_bottleneck(crawl, now)),
    ]
    if circuits := statistics.list_open_circuits(now):
        figures.append(("left alone", format_circuits(circuits, now)))
    if not crawl.seeds.is_over:
        figures.insert(0, ("seeds:", f"{count_seeds_taken(crawl):,} taken"))
    forecast = "" if _describe_next_try(crawl, now) else forecaster.forecast_crawl(crawl, rate, counts["queued"], now)
    return [*figures, ("forecast", forecast)] if forecast else figures


def format_causes(failures: Sequence[tuple[str, int]]) -> str:
    """The most frequent causes with their counts, and how many others there are."""
    ordered = sorted(failures, key=lambda failure: -failure[1])
    shown = [f"{count:,} {cause}" for cause, count in ordered[:SHOWN_CAUSES]]
    others = len(ordered) - SHOWN_CAUSES
    more = f" and {format_count(others, 'more cause')}" if others > 0 else ""
    return (", ".join(shown) or "0") + more


def format_circuits(circuits: Sequence[tuple[str, int, float]], now: float) -> str:
    """Hosts whose circuit is open, the next to be tried first, and how many others there are."""
    shown = [
        f"{host} for {format_seconds(until - now)} (its circuit is open: {format_count(failures, 'failure')} in a row)"
        for host, failures, until in circuits[:SHOWN_CIRCUITS]
    ]
    others = len(circuits) - SHOWN_CIRCUITS
    return ", ".join(shown) + (f" and {format_count(others, 'other host')}" if others > 0 else "")


def _format_page_limit(crawl: OpenCrawl) -> str:
    most = crawl.settings.limits.max_pages
    return f" of {most:,}" if most else ""


def _describe_bottleneck(crawl: OpenCrawl, now: float) -> str:
    """What keeps the crawl from being faster."""
    if crawl.commit.paused:
        return f"disk: {crawl.commit.paused}"
    if not crawl.commit.accepts():
        return "disk: writing does not keep up"
    if crawl.run.in_flight >= crawl.settings.fetch.concurrency:
        return "concurrency: more requests at once with --concurrency"
    if crawl.run.preparing > crawl.run.in_flight:
        preparing = crawl.run.preparing + crawl.frontier.count_asleep()
        return f"names and robots.txt: {format_count(preparing, 'origin')} to prepare first"
    if next_try := _describe_next_try(crawl, now):
        return next_try
    if crawl.frontier.count_ready() == 0 and crawl.frontier.count_waiting():
        waiting = crawl.frontier.count_waiting()
        return f"politeness: {format_count(waiting, 'origin')} wait{'s' if waiting == 1 else ''} for the next request"
    return "the servers' answers" if crawl.run.in_flight else "nothing is due"


def _describe_next_try(crawl: OpenCrawl, now: float) -> str:
    """If the crawl only waits to retry a failed origin: which one, and when."""
    if crawl.run.in_flight or crawl.run.preparing or crawl.frontier.count_ready():
        return ""
    for due, origin in crawl.frontier.list_next_origins(1):
        if origin in crawl.statistics.waiting and due > now:
            return f"{origin}: {crawl.statistics.waiting[origin]}; next try in {format_seconds(due - now)}"
    return ""
