"""What a running crawl shows: a live panel on a terminal, a plain line now and then elsewhere."""

import asyncio
import logging
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from hondius.crawler.assemble import OpenCrawl
from hondius.crawler.opening import Watch
from hondius.model import State
from hondius.operate.cli.display.forecast import Forecaster, forecast_of
from hondius.operate.cli.plain import say
from hondius.operate.cli.quantities import counted, shown_bytes, shown_seconds
from hondius.operate.cli.queue import queue_of, write_down
from hondius.ports import Place

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

ON_TERMINAL = 0.5
ELSEWHERE = 5.0
IN_DIRECTORY = 2.0
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
        """Made when something is shown: `rich` takes longer to import than a small crawl to start."""
        from hondius.operate.cli.display.shown import make_console

        return make_console(of_errors=True)

    @property
    def watch(self) -> Watch:
        return Watch(self.catching_up, _notice, self.paused)

    def paused(self, reason: str) -> None:
        """Said in every mode: a crawl that waits for room looks like one that hangs."""
        if bool(reason) != bool(self._paused):
            _log.warning("paused: %s", reason) if reason else _log.info("there is room again")
            say(f"paused: {reason} and the crawl goes on by itself" if reason else "there is room again: going on")
        self._paused = reason

    def catching_up(self, done: int, of: int) -> None:
        """At a start after a crash: the views apply what the log has and they have not."""
        if not self.quiet and (time.monotonic() - self._said > 1 or done == of) and of > 100:
            self._said = time.monotonic()
            self.console.print(f"catching up with the log: {done:,} of {of:,} frames")


def _notice(text: str) -> None:
    _log.warning("%s", text)
    say(text)


@asynccontextmanager
async def shown_while_running(progress: Progress, crawl: OpenCrawl, place: Place) -> AsyncIterator[None]:
    """To whoever started it, and by a note to whoever asks."""
    over = asyncio.Event()
    written = asyncio.create_task(_written(crawl, place, over))
    tasks = [asyncio.create_task(_pauses(progress, crawl))]
    if not progress.quiet:
        showing = _panel(progress.console, crawl) if sys.stderr.isatty() else _lines(progress.console, crawl)
        tasks.append(asyncio.create_task(showing))
    try:
        yield
    finally:
        over.set()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, written, return_exceptions=True)


async def _pauses(progress: Progress, crawl: OpenCrawl) -> None:
    while True:
        progress.paused(crawl.commit.paused)
        await asyncio.sleep(ON_TERMINAL)


async def _written(crawl: OpenCrawl, place: Place, over: asyncio.Event) -> None:
    """Never cancelled: a thread that still writes would undo what is written last."""
    while not over.is_set():
        await asyncio.to_thread(write_down, place, queue_of(crawl))
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), IN_DIRECTORY)


async def _panel(console: "Console", crawl: OpenCrawl) -> None:
    from rich.live import Live

    forecaster = Forecaster(crawl.statistics.started_at)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while True:
            live.update(_table(crawl, forecaster), refresh=True)
            await asyncio.sleep(ON_TERMINAL)


async def _lines(console: "Console", crawl: OpenCrawl) -> None:
    forecaster = Forecaster(crawl.statistics.started_at)
    while True:
        await asyncio.sleep(ELSEWHERE)
        figures = _figures(crawl, forecaster)
        console.print(" · ".join(f"{name} {value}" for name, value in figures), soft_wrap=True)


def _table(crawl: OpenCrawl, forecaster: Forecaster) -> "Table":
    from rich.markup import escape
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis")
    if (share := share_done(crawl, crawl.clock.now())) is not None:
        table.add_row("[dim]done[/]", ProgressBar(total=1.0, completed=share, width=BAR_WIDTH))
    for name, value in _figures(crawl, forecaster):
        table.add_row(f"[dim]{name}[/]", escape(value))
    if crawl.statistics.newest:
        table.add_row("[dim]newest[/]", escape(crawl.statistics.newest))
    return table


def share_done(crawl: OpenCrawl, now: float) -> float | None:
    """How near the crawl is to the first of its limits; None where it has none."""
    limits, statistics = crawl.settings.limits, crawl.statistics
    shares = [
        (statistics.pages, limits.max_pages),
        (statistics.wire_bytes, limits.max_bytes),
        (now - statistics.started_at, limits.max_time),
    ]
    known = [done / most for done, most in shares if most]
    return min(1.0, max(known)) if known else None


def _figures(crawl: OpenCrawl, forecaster: Forecaster) -> list[tuple[str, str]]:
    now = crawl.clock.now()
    statistics, frontier = crawl.statistics, crawl.frontier
    counts = crawl.urls.counts()
    rate = statistics.rate(now)
    failures = [
        (cause, count) for (state, cause), count in statistics.causes.items() if state == State.FAILED and count
    ]
    figures = [
        ("elapsed", shown_seconds(max(0.0, now - statistics.started_at))),
        ("pages", f"{statistics.pages:,}" + _share(crawl)),
        ("rate", f"{rate:.1f} pages/s"),
        ("queued", f"{counted(counts['queued'], 'URL')} on {counted(len(frontier), 'host')}"),
        ("under way", f"{crawl.run.in_flight:,}"),
        ("failed", list_causes(failures)),
        ("traffic", shown_bytes(statistics.wire_bytes)),
        ("limited by", _limit(crawl, now)),
    ]
    if circuits := statistics.open_circuits(now):
        figures.append(("left alone", list_circuits(circuits, now)))
    if not crawl.seeds.is_over:
        figures.insert(0, ("seeds:", f"{taken_in_all(crawl):,} taken"))
    forecast = "" if _next_try(crawl, now) else forecast_of(forecaster, crawl, rate, counts["queued"], now)
    return [*figures, ("forecast", forecast)] if forecast else figures


def taken_in_all(crawl: OpenCrawl) -> int:
    """Seeds taken of the source, also by earlier runs. A run that continues reads them again, and finds them known."""
    return max(crawl.seeds.taken, dict(crawl.stores.view.unfinished_seeds()).get(crawl.seeds.source, 0))


def list_causes(failures: Sequence[tuple[str, int]]) -> str:
    """The most frequent causes with their counts, and how many others there are."""
    ordered = sorted(failures, key=lambda failure: -failure[1])
    shown = [f"{count:,} {cause}" for cause, count in ordered[:SHOWN_CAUSES]]
    others = len(ordered) - SHOWN_CAUSES
    more = f" and {counted(others, 'more cause')}" if others > 0 else ""
    return (", ".join(shown) or "0") + more


def list_circuits(circuits: Sequence[tuple[str, int, float]], now: float) -> str:
    """Hosts whose circuit is open, the next to be tried first, and how many others there are."""
    shown = [
        f"{host} for {shown_seconds(until - now)} (its circuit is open: {counted(failures, 'failure')} in a row)"
        for host, failures, until in circuits[:SHOWN_CIRCUITS]
    ]
    others = len(circuits) - SHOWN_CIRCUITS
    return ", ".join(shown) + (f" and {counted(others, 'other host')}" if others > 0 else "")


def _share(crawl: OpenCrawl) -> str:
    most = crawl.settings.limits.max_pages
    return f" of {most:,}" if most else ""


def _limit(crawl: OpenCrawl, now: float) -> str:
    """Why it is not faster."""
    if crawl.commit.paused:
        return f"disk: {crawl.commit.paused}"
    if not crawl.commit.accepts():
        return "disk: writing does not keep up"
    if crawl.run.in_flight >= crawl.settings.fetch.concurrency:
        return "concurrency: more requests at once with --concurrency"
    if crawl.run.preparing > crawl.run.in_flight:
        preparing = crawl.run.preparing + crawl.frontier.asleep()
        return f"names and robots.txt: {counted(preparing, 'host')} to look up before anything can be fetched"
    if next_try := _next_try(crawl, now):
        return next_try
    if crawl.frontier.ready() == 0 and crawl.frontier.waiting():
        waiting = crawl.frontier.waiting()
        return f"politeness: {counted(waiting, 'host')} wait{'s' if waiting == 1 else ''} for a turn"
    return "the servers' answers" if crawl.run.in_flight else "nothing is due"


def _next_try(crawl: OpenCrawl, now: float) -> str:
    """Where nothing can be done before a host that failed is tried again: which one, and when."""
    if crawl.run.in_flight or crawl.run.preparing or crawl.frontier.ready():
        return ""
    for due, origin in crawl.frontier.next_origins(1):
        if origin in crawl.statistics.waiting and due > now:
            return f"{origin}: {crawl.statistics.waiting[origin]}; next try in {shown_seconds(due - now)}"
    return ""
