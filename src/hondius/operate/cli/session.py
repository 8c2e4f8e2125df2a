"""One `hondius crawl` or `resume`, from the lock to the summary, however often its stores are opened meanwhile.

A view that breaks on the way stops the run but not the crawl: what is under way ends and goes into the log, the view
is opened again or made anew from there, and a new run goes on. The directory stays locked, the clock of the limits runs
on, and whoever asks for an end in between gets it.
"""

import asyncio
import time
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from hondius.advice import command
from hondius.crawler.assemble import OpenCrawl, locked, open_crawl
from hondius.crawler.directory import existing
from hondius.crawler.seeds import Seed
from hondius.errors import BadSeed, Broken, BrokenView, DiskFull, HaltedView
from hondius.model import REOPENED
from hondius.operate.cli.progress import Progress, shown_while_running
from hondius.operate.cli.queue import write_down
from hondius.operate.cli.signals import INTERRUPTED, Signals
from hondius.operate.cli.summary import Ended, Summary
from hondius.settings import Settings

if TYPE_CHECKING:
    from hondius.crawler.statistics import Statistics

KEPT_WITHIN = 2.0
MOST_MENDED = 3
"""Views that a command makes anew before it says that the disk does not keep what it is given."""


class Session:
    def __init__(self, directory: Path, settings: Settings, seeds: Sequence[Seed], as_json: bool) -> None:
        self._directory = directory
        self._settings = settings
        self._seeds = seeds
        self._progress = Progress(quiet=as_json)
        self._signals = Signals()
        self._earlier: Statistics | None = None
        self._mended = 0
        self._ends = inf
        """By the monotonic clock: when --max-time is over."""

    async def run(self) -> Summary:
        started = time.monotonic()
        continued = existing(self._directory)
        broken: BrokenView | None = None
        if (longest := self._settings.limits.max_time) is not None:
            self._ends = started + longest
        with await locked(self._directory, self._progress.watch, self._ends):
            while True:
                try:
                    ended = await self._run_once(broken)
                except BrokenView as found:
                    broken = self._to_mend(found)
                except DiskFull as full:
                    full.exit_status = INTERRUPTED if self._signals.came else full.exit_status
                    raise
                else:
                    return Summary.of(self._directory, ended, time.monotonic() - started, continued)

    async def _run_once(self, broken: BrokenView | None) -> Ended:
        directory, progress = self._directory, self._progress
        async with open_crawl(directory, self._settings, self._seeds, progress.watch, broken, self._ends) as crawl:
            if not self._seeds and not crawl.urls.counts()["seen"]:
                again = command("resume", directory, "https://example.com/")
                raise BadSeed(f"{directory} has no seeds yet: name some, like {again}")
            if self._earlier is not None:
                crawl.statistics.go_on_from(self._earlier)
            self._earlier = crawl.statistics
            self._signals.listen(crawl.run.stop)
            async with shown_while_running(progress, crawl, directory):
                reason = await crawl.run.until_over()
            if reason != REOPENED:
                await _until_kept(crawl)
            if crawl.commit.is_known:
                crawl.statistics.settle(crawl.catalog.totals())
            ended = Ended.of(crawl, reason, time.time())
            write_down(directory, ended.queue)
        if crawl.commit.broken is not None and reason == REOPENED:
            raise crawl.commit.broken
        return ended

    def _to_mend(self, found: BrokenView) -> BrokenView:
        if not isinstance(found, HaltedView):
            self._mended += 1
        if self._mended > MOST_MENDED:
            path, again = self._directory / found.view.name, command("resume", self._directory)
            raise Broken(
                f"{path} {found.reason}, and was made anew {MOST_MENDED} times before: look at the disk, "
                f"it does not keep what is written; nothing of the log is lost, and {again} goes on"
            ) from found
        return found


async def _until_kept(crawl: OpenCrawl) -> None:
    """What ended last is told of when it is durable, or when that takes long: closing waits for it anyway."""
    patience = time.monotonic() + KEPT_WITHIN
    while not crawl.commit.is_known and not crawl.commit.paused and time.monotonic() < patience:
        crawl.commit.hurry()
        await asyncio.sleep(0.02)
