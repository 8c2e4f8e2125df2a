"""One `hondius crawl` or `resume`, from the lock to the summary, however often its stores are opened meanwhile.

A view that breaks on the way stops the run but not the crawl: what is under way ends and goes into the log, the view
is opened again or made anew from there, and a new run goes on. The directory stays locked, the clock of the limits runs
on, and whoever asks for an end in between gets it: while the stores are opened, too.
"""

import asyncio
import logging
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from hondius import __version__
from hondius.crawler.assemble import OpenCrawl, locked, open_crawl
from hondius.crawler.run import DRAIN_INTERRUPTED
from hondius.crawler.secrets import secrets_of
from hondius.crawler.seeds import SeedSource
from hondius.errors import BadSeed, Broken, BrokenView, DiskFull, HaltedView, HondiusError
from hondius.hints import quote_command
from hondius.model import REOPENED
from hondius.native import PanicException
from hondius.opening import crawl_exists, place_of
from hondius.operate.cli.display.progress import Progress, shown_while_running, taken_in_all
from hondius.operate.cli.display.summary import Ended, Summary
from hondius.operate.cli.logs import Logging, crawl_log
from hondius.operate.cli.plain import say
from hondius.operate.cli.quantities import counted
from hondius.operate.cli.queue import write_down
from hondius.operate.cli.seeding import refuse_unknown, settings_in_words, tell_skipped, tell_unfinished
from hondius.operate.cli.signals import INTERRUPTED, Signals
from hondius.ports import Stores
from hondius.settings import Settings

if TYPE_CHECKING:
    from hondius.crawler.statistics import Statistics

KEPT_WITHIN = 2.0
_log = logging.getLogger("hondius.operate.session")
OPENED_WITHIN = 0.3
"""Seconds that an opening may still take when the run is told to end: its own reason to end comes first."""
MOST_MENDED = 3
"""Views that a command makes anew before it says that the disk does not keep what it is given."""


class NeverOpened(Exception):
    """The run was told to end before its stores were open."""


class Session:
    """`before`: the settings of a crawl that exists and takes no new seeds; `began`: when the command did, by the
    monotonic clock."""

    def __init__(
        self,
        directory: Path,
        settings: Settings,
        seeds: SeedSource | None,
        as_json: bool,
        log: Logging = Logging(),
        *,
        began: float,
        before: Settings | None = None,
    ) -> None:
        self._directory = directory
        self._place = place_of(directory)
        self._settings = settings
        self._seeds = seeds
        self._began = began
        self._before = before
        self._log = log
        self._progress = Progress(quiet=as_json)
        self._signals = Signals()
        self._earlier: Statistics | None = None
        self._mended = 0
        self._reason = ""
        """Why the run is to end, once it is."""
        self._asked = asyncio.Event()
        self._crawl: OpenCrawl | None = None
        longest = settings.limits.max_time
        self._ends = inf if longest is None else began + longest
        """By the monotonic clock: when --max-time is over."""

    async def run(self) -> Summary:
        """The lock of stores that were never open is kept to the end of the process: somebody still opens them."""
        continued = crawl_exists(self._directory)
        self._signals.listen(self._stop, self._under_way)
        if self._ends < inf:
            left = max(0.0, self._ends - time.monotonic())
            asyncio.get_running_loop().call_later(left, self._stop, "max_time")
        lock = await locked(self._place, self._progress.watch, self._ends)
        try:
            ended = await self._until_ended()
        except NeverOpened:
            ended = Ended.unopened(self._place, self._reason, time.time())
        except BaseException:
            lock.close()
            raise
        else:
            lock.close()
        finally:
            if self._seeds is not None:
                self._seeds.stop()
        return Summary.of(self._place, ended, time.monotonic() - self._began, continued)

    def _stop(self, reason: str) -> None:
        self._reason = self._reason or reason
        self._asked.set()
        if self._crawl is not None:
            self._crawl.run.stop(reason)

    def _under_way(self) -> str:
        """What a run that is interrupted now waits for."""
        count = 0 if self._crawl is None else self._crawl.run.under_way
        if not count:
            return "what is done is being kept"
        have = "has" if count == 1 else "have"
        return f"{counted(count, 'request')} under way {have} {DRAIN_INTERRUPTED:g} s to finish; the rest stays queued"

    async def _until_ended(self) -> Ended:
        broken: BrokenView | None = None
        with crawl_log(self._place.directory, self._log, secrets_of(self._settings.fetch)), _told():
            while True:
                try:
                    return await self._run_once(broken)
                except BrokenView as found:
                    broken = self._to_mend(found)
                except DiskFull as full:
                    full.exit_status = INTERRUPTED if self._signals.came else full.exit_status
                    raise
        raise AssertionError

    async def _run_once(self, broken: BrokenView | None) -> Ended:
        directory, progress = self._directory, self._progress
        async with AsyncExitStack() as stack:
            crawl = await self._opened(stack, broken)
            if self._seeds is None and not crawl.urls.counts()["seen"]:
                again = quote_command("resume", directory, "https://example.com/")
                raise BadSeed(
                    f"{directory} has no seeds yet: give the same command as at first, or name some, like {again}"
                )
            if self._earlier is not None:
                crawl.statistics.go_on_from(self._earlier)
            self._earlier = crawl.statistics
            self._crawl = crawl
            if self._reason:
                crawl.run.stop(self._reason)
            _log.info("Hondius %s runs", __version__)
            try:
                async with shown_while_running(progress, crawl, self._place):
                    reason = await crawl.run.until_over()
            finally:
                self._crawl = None
            if reason != REOPENED:
                await _until_kept(crawl)
                self._tell_of_seeds(crawl)
            if crawl.commit.is_known:
                crawl.statistics.settle(await crawl.ask(lambda catalog: catalog.totals()))
            ended = await Ended.of(crawl, reason)
            _log.info("the run ended: %s; %d pages in it", reason, crawl.statistics.pages_this_run)
            write_down(self._place, ended.queue)
        if crawl.commit.broken is not None and reason == REOPENED:
            raise crawl.commit.broken
        return ended

    async def _opened(self, stack: AsyncExitStack, broken: BrokenView | None) -> OpenCrawl:
        """An opening that nobody waits for goes on in its thread until the process ends, as if it was killed then."""
        arguments = (self._place, self._settings, self._choose_seeds, self._progress.watch, broken, self._ends)
        opening = asyncio.create_task(stack.enter_async_context(open_crawl(*arguments)))
        asked = asyncio.create_task(self._asked.wait())
        await asyncio.wait({opening, asked}, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        await asyncio.wait({opening}, timeout=OPENED_WITHIN)
        if not opening.done():
            opening.cancel()
            raise NeverOpened
        return opening.result()

    async def _choose_seeds(self, stores: Stores) -> SeedSource | None:
        """A crawl that exists takes new seeds from `resume` alone; `crawl` goes on with it where it knows them all, or
        lacks some because it was killed before it had the last."""
        before, self._before = self._before, None
        is_unfinished = bool(stores.view.unfinished_seeds()) or not stores.urls.counts()["seen"]
        if before is not None and not is_unfinished and self._seeds is not None:
            await asyncio.to_thread(refuse_unknown, self._seeds, stores, self._settings, self._directory)
            self._seeds = None
        if before is not None:
            taking = "the seeds that it lacks are taken" if is_unfinished else "it knows all the seeds"
            words = settings_in_words(before, self._settings)
            say(f"going on with the crawl in {self._directory}: {taking}. Settings {words}")
        elif self._seeds is None:
            tell_unfinished(stores)
        return self._seeds

    def _tell_of_seeds(self, crawl: OpenCrawl) -> None:
        if self._seeds is None:
            return
        tell_skipped(self._seeds)
        if not self._seeds.is_over:
            say(f"seeds: {taken_in_all(crawl):,} taken, not all: the same command takes the others")
        elif not crawl.urls.counts()["seen"] and crawl.seeds.passed_over:
            raise BadSeed("every seed would be refused (--exclude or another setting): change the seeds or the option")

    def _to_mend(self, found: BrokenView) -> BrokenView:
        if not isinstance(found, HaltedView):
            self._mended += 1
        if self._mended > MOST_MENDED:
            path, again = self._directory / found.view.name, quote_command("resume", self._directory)
            raise Broken(
                f"{path} {found.reason}, and was made anew {MOST_MENDED} times before: look at the disk, "
                f"it does not keep what is written; nothing of the log is lost, and {again} goes on"
            ) from found
        return found


@contextmanager
def _told() -> Iterator[None]:
    """What ends a run stands in its log, too."""
    try:
        yield
    except NeverOpened:
        raise
    except HondiusError as error:
        _log.error("the run failed: %s", error)
        raise
    except (Exception, PanicException):
        _log.critical("the run failed", exc_info=True)
        raise


async def _until_kept(crawl: OpenCrawl) -> None:
    """What ended last is told of when it is durable, or when that takes long: closing waits for it anyway."""
    patience = time.monotonic() + KEPT_WITHIN
    while not crawl.commit.is_known and not crawl.commit.paused and time.monotonic() < patience:
        crawl.commit.hurry()
        await asyncio.sleep(0.02)
