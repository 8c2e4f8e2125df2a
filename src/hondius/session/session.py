"""One run of a crawl, from the lock to the summary. It may open the stores several times.

A view that breaks stops the run but not the crawl: requests in progress end and are logged, the view is reopened or
rebuilt from the log, and a new run continues. Meanwhile the directory stays locked and the time limit keeps running. A
request to stop takes effect at any time, also while the stores are being opened.
"""

import asyncio
import logging
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from math import inf
from typing import TYPE_CHECKING

from hondius import __version__
from hondius.crawler.assemble import OpenCrawl, lock_place, open_crawl
from hondius.crawler.extensions import NO_EXTENSIONS, Extensions
from hondius.crawler.secrets import find_secrets
from hondius.crawler.seeds import SeedSource
from hondius.errors import BadSeed, Broken, BrokenView, HaltedView, HondiusError
from hondius.hints import quote_command, suggest_trustworthy_log
from hondius.model import REOPENED
from hondius.native import PanicException
from hondius.opening import crawl_exists, place_of
from hondius.ports import Stores
from hondius.session.crawl_log import LogOptions, write_crawl_log
from hondius.session.observer import Observer
from hondius.session.preparation import Prepared
from hondius.session.program_hooks import (
    INSTEAD,
    describe_program_hooks,
    note_program_hooks,
    read_program_hooks,
)
from hondius.session.queue import note_queue, write_queue
from hondius.session.seed_input import (
    count_seeds_taken,
    describe_settings,
    refuse_unknown_seeds,
    report_skipped_lines,
    report_unfinished_seeds,
)
from hondius.session.summary import RunEnd, Summary

if TYPE_CHECKING:
    from hondius.crawler.statistics import Statistics

DURABLE_WITHIN = 2.0
_log = logging.getLogger("hondius.session")
OPEN_GRACE = 0.3
"""Seconds that opening the stores may still take after a request to stop: an error while opening takes precedence."""
MAX_REBUILDS = 3
"""Views that a session rebuilds before it gives up and blames the disk."""


class StoppedBeforeOpen(Exception):
    """The run was asked to stop before its stores were open."""


class Session:
    def __init__(
        self,
        prepared: Prepared,
        observer: Observer,
        log: LogOptions | None = None,
        *,
        extensions: Extensions = NO_EXTENSIONS,
        may_abandon_opening: bool = False,
    ) -> None:
        """`log`: None leaves the levels of the loggers as they are. `may_abandon_opening`: the process ends after this
        session, so a request to stop need not wait until the stores are open."""
        self._directory = prepared.directory
        self._place = place_of(prepared.directory)
        self._settings = prepared.settings
        self._seeds = prepared.seeds
        self._began = prepared.began
        self._before = prepared.before
        self._observer = observer
        self._log = log
        self._extensions = extensions
        self._may_abandon_opening = may_abandon_opening
        self._previous_statistics: Statistics | None = None
        self._rebuilds = 0
        self._stop_reason = ""
        """Why the run must stop; empty while it need not."""
        self._stop_requested = asyncio.Event()
        self._opened = asyncio.Event()
        self._crawl: OpenCrawl | None = None
        longest = prepared.settings.limits.max_time
        self._deadline = inf if longest is None else prepared.began + longest
        """The end of --max-time, by the monotonic clock."""

    async def run(self) -> Summary:
        """Not to be cancelled: `stop` ends it. If opening the stores is abandoned, the lock is kept until the process
        ends: a thread is still opening them."""
        continued = crawl_exists(self._directory)
        timer: asyncio.TimerHandle | None = None
        if self._deadline < inf:
            left = max(0.0, self._deadline - time.monotonic())
            timer = asyncio.get_running_loop().call_later(left, self.stop, "max_time")
        try:
            lock = await lock_place(self._place, self._observer.watch, self._deadline)
            try:
                ended = await self._run_until_done()
            except StoppedBeforeOpen:
                ended = RunEnd.from_place(self._place, self._stop_reason, time.time())
            except BaseException:
                lock.close()
                raise
            else:
                lock.close()
        finally:
            if timer is not None:
                timer.cancel()
            if self._seeds is not None:
                self._seeds.stop()
        return Summary.make(self._place, ended, time.monotonic() - self._began, continued)

    def stop(self, reason: str) -> None:
        self._stop_reason = self._stop_reason or reason
        self._stop_requested.set()
        if self._crawl is not None:
            self._crawl.run.stop(reason)

    async def wait_until_open(self) -> None:
        """Returns when the stores are open. Never, if that fails: wait for `run`, too."""
        await self._opened.wait()

    def wake(self) -> None:
        """Something that the run waited for has happened."""
        if self._crawl is not None:
            self._crawl.run.wake()

    @property
    def stop_reason(self) -> str:
        """Why the run was asked to stop; empty if it was not."""
        return self._stop_reason

    @property
    def under_way(self) -> int:
        """Requests that the crawl would still wait for if it were stopped now."""
        return 0 if self._crawl is None else self._crawl.run.under_way

    async def _run_until_done(self) -> RunEnd:
        broken: BrokenView | None = None
        secrets = find_secrets(self._settings.fetch)
        with write_crawl_log(self._place.directory, self._log, secrets, self._observer.say), _log_failure():
            while True:
                try:
                    return await self._run_once(broken)
                except BrokenView as found:
                    broken = self._count_rebuild(found)
        raise AssertionError

    async def _run_once(self, broken: BrokenView | None) -> RunEnd:
        directory = self._directory
        async with AsyncExitStack() as stack:
            crawl = await self._open_crawl(stack, broken)
            if self._seeds is None and not crawl.urls.counts()["seen"]:
                again = quote_command("resume", directory, "https://example.com/")
                raise BadSeed(
                    f"{directory} has no seeds yet: give the same command as at first, or name some, like {again}"
                )
            if self._previous_statistics is not None:
                crawl.statistics.continue_from(self._previous_statistics)
            else:
                self._note_hooks()
            self._previous_statistics = crawl.statistics
            self._crawl = crawl
            self._opened.set()
            if self._stop_reason:
                crawl.run.stop(self._stop_reason)
            _log.info("Hondius %s runs", __version__)
            try:
                async with note_queue(crawl, self._place), self._observer.show(crawl):
                    reason = await crawl.run.run_until_over()
            finally:
                self._crawl = None
            if reason != REOPENED:
                await _wait_until_durable(crawl)
                self._report_seeds(crawl)
            if crawl.commit.is_applied:
                crawl.statistics.set_totals(await crawl.ask(lambda catalog: catalog.totals()))
            ended = await RunEnd.from_crawl(crawl, reason)
            _log.info("the run ended: %s; %d pages in it", reason, crawl.statistics.pages_this_run)
            write_queue(self._place, ended.queue)
        if crawl.commit.broken is not None and reason == REOPENED:
            raise crawl.commit.broken
        return ended

    async def _open_crawl(self, stack: AsyncExitStack, broken: BrokenView | None) -> OpenCrawl:
        """If the run stops first, the opening may be abandoned: it continues in its thread until the process ends. That
        is as safe as a kill."""
        opening = asyncio.create_task(
            stack.enter_async_context(
                open_crawl(
                    self._place,
                    self._settings,
                    self._choose_seeds,
                    self._observer.watch,
                    broken,
                    self._deadline,
                    self._extensions,
                )
            )
        )
        asked = asyncio.create_task(self._stop_requested.wait())
        await asyncio.wait({opening, asked}, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        await asyncio.wait({opening}, timeout=OPEN_GRACE if self._may_abandon_opening else None)
        if not opening.done():
            opening.cancel()
            raise StoppedBeforeOpen
        return opening.result()

    async def _choose_seeds(self, stores: Stores) -> SeedSource | None:
        """Only `resume` adds seeds to an existing crawl. `crawl` continues it if all its seeds are known, or if an
        earlier run ended before it had read them all."""
        before, self._before = self._before, None
        is_unfinished = bool(stores.view.unfinished_seeds()) or not stores.urls.counts()["seen"]
        if before is not None and not is_unfinished and self._seeds is not None:
            await asyncio.to_thread(refuse_unknown_seeds, self._seeds, stores, self._settings, self._directory)
            self._seeds = None
        if before is not None:
            taking = "it takes the missing seeds" if is_unfinished else "it already has all these seeds"
            words = describe_settings(before, self._settings)
            self._observer.say(f"continuing the crawl in {self._directory}: {taking}. Settings {words}")
        elif self._seeds is None:
            report_unfinished_seeds(stores, self._observer.say)
        return self._seeds

    def _note_hooks(self) -> None:
        if own := self._extensions.program_hooks:
            note_program_hooks(self._place, own)
        elif earlier := read_program_hooks(self._place):
            self._observer.say(f"warning: {describe_program_hooks(earlier)}; this run does not have them: {INSTEAD}")

    def _report_seeds(self, crawl: OpenCrawl) -> None:
        if self._seeds is None:
            return
        report_skipped_lines(self._seeds, self._observer.say)
        if not self._seeds.is_over:
            taken = count_seeds_taken(crawl)
            self._observer.say(f"seeds: {taken:,} taken, not all: the same command takes the others")
        elif not crawl.urls.counts()["seen"] and crawl.seeds.passed_over:
            raise BadSeed("every seed is refused by --exclude or another setting: change the seeds or the option")

    def _count_rebuild(self, found: BrokenView) -> BrokenView:
        if not isinstance(found, HaltedView):
            self._rebuilds += 1
        if self._rebuilds > MAX_REBUILDS:
            path, again = self._directory / found.view.name, quote_command("resume", self._directory)
            raise Broken(
                f"{path} {found.reason}, and was rebuilt {MAX_REBUILDS} times before: "
                f"{suggest_trustworthy_log(self._directory)}; the log is intact, and {again} continues"
            ) from found
        return found


@contextmanager
def _log_failure() -> Iterator[None]:
    """Writes the error that ends a run to `crawl.log`, too."""
    try:
        yield
    except StoppedBeforeOpen:
        raise
    except HondiusError as error:
        _log.error("the run failed: %s", error)
        raise
    except (Exception, PanicException):
        _log.critical("the run failed", exc_info=True)
        raise


async def _wait_until_durable(crawl: OpenCrawl) -> None:
    """Waits, for a limited time, until the last results are durable, so that the summary includes them. Closing the
    crawl waits for them in any case."""
    patience = time.monotonic() + DURABLE_WITHIN
    while not crawl.commit.is_applied and not crawl.commit.paused and time.monotonic() < patience:
        crawl.commit.hurry()
        await asyncio.sleep(0.02)
