"""`hondius.crawl`: a crawl that runs inside a program, and gives its pages as they become durable."""

import asyncio
import logging
import sys
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Unpack

from hondius.consumer_names import check_own_name
from hondius.errors import CrawlWarning, UnknownSeed, WrongUse
from hondius.hints import quote_command
from hondius.python.call import CrawlCall, Seeds, check_buffer, describe_in_python
from hondius.python.delivery import NewPages, PageFeed, PagesOfConsumer
from hondius.python.hook_set import HookSet
from hondius.python.hooked_session import HookedSession
from hondius.python.options import CrawlOptions
from hondius.python.page import Page
from hondius.quantities import format_count
from hondius.session.observer import LogObserver
from hondius.session.preparation import Prepared
from hondius.session.summary import Summary, list_figures

BUFFER = 1_000
"""Pages that the crawl may be ahead of the program."""
INTERRUPTED = "interrupted"
_log = logging.getLogger("hondius.session")


def crawl(
    *seeds: Seeds,
    into: str | Path | None = None,
    seeds_file: str | Path | None = None,
    consumer: str | None = None,
    buffer: int = BUFFER,
    add_seeds: bool = False,
    **options: Unpack[CrawlOptions],
) -> "RunningCrawl":
    """Crawls from seeds into a directory. The same call again continues where it stopped.

        async with hondius.crawl("https://example.com/", max_pages=1000) as crawl:
            async for page in crawl:
                print(page.url, page.title)

    Pages come when they are durable, in commit order. A slow loop slows the crawl down: it is at most `buffer` pages
    ahead. Leaving the block early, by `break`, an exception or a cancelled task, stops the crawl: everything fetched is
    durable, the directory is free, and the same call continues. The next loop does not get pages that were fetched
    before it, unless it has a `consumer`.

    `into`: the directory; by default `crawls/HOST`. `seeds_file`: more seeds, one a line. `add_seeds`: an existing
    crawl takes seeds that it does not have; otherwise they are an error. `consumer`: a name; the loop continues where
    the last one of this name stopped, so that no page is missed, also after `kill -9`. The options are those of
    `hondius crawl --help`, with underscores (`max_pages`, `delay`, `scope`, `resolve`, `log_level`); any other setting
    is given as `set={"section.name": value}`.

    It installs no signal handler, and several crawls can run in one event loop. Raises HondiusError: WrongUse for a bad
    seed or option, DirectoryInUse if the crawl runs already. If nothing could be fetched, or hooks failed, a
    CrawlWarning says so at the end of the block, and so do `summary["failed_seeds"]` and `summary["hook_failures"]`.
    """
    call = CrawlCall(seeds, into, seeds_file, options, add_seeds=add_seeds)
    return RunningCrawl(call, consumer=consumer, buffer=buffer)


class RunningCrawl:
    """A crawl for `async with`, and its pages for `async for`. Made by `hondius.crawl`."""

    def __init__(
        self, call: CrawlCall, *, hooks: HookSet | None = None, consumer: str | None = None, buffer: int = BUFFER
    ) -> None:
        check_buffer(buffer)
        self._call = call
        self._hooks = hooks
        self._feed: PageFeed = (
            NewPages(buffer) if consumer is None else PagesOfConsumer(check_own_name(consumer), buffer)
        )
        self._directory: Path | None = None
        self._hooked: HookedSession | None = None
        self._running: asyncio.Task[None] | None = None
        self._summary: dict[str, Any] | None = None
        self._warnings: list[str] = []

    @property
    def directory(self) -> Path:
        """Where the crawl is stored."""
        if self._directory is None:
            raise WrongUse("the crawl has no directory yet: use it inside of its `with` block")
        return self._directory

    @property
    def summary(self) -> dict[str, Any]:
        """The figures of the run, as `hondius crawl --json` prints them. Available when the crawl is over."""
        if self._summary is None:
            raise WrongUse("the crawl is not over: read its summary after the `with` block")
        return self._summary

    async def __aenter__(self) -> "RunningCrawl":
        if self._running is not None:
            raise WrongUse("this crawl was run already: call hondius.crawl() again to continue it")
        try:
            await self._begin()
        except WrongUse as error:
            # The frames below are ours: the mistake is in the call.
            raise error.with_traceback(None) from error.__cause__
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._leave(error)
        if error is None:
            self._warn()

    async def _leave(self, error: BaseException | None) -> None:
        """What the end of the block does, without warnings."""
        try:
            await self._stop()
        finally:
            await self._feed.close()
        if error is None:
            self._raise_failure()

    def _warn(self) -> None:
        """Why the result is not what it looks like. The warning points at the line of the program."""
        for text in self._warnings:
            warnings.warn(text, CrawlWarning, stacklevel=_count_own_frames())

    def __aiter__(self) -> AsyncIterator[Page]:
        return self

    async def __anext__(self) -> Page:
        if self._running is None:
            raise WrongUse("the crawl has not begun: iterate over it inside of `async with`")
        page = await self._feed.take(self.directory)
        if page is None:
            self._raise_failure()
            raise StopAsyncIteration
        return page

    async def finish(self) -> None:
        """Runs until the crawl is over, without pages: those that were not taken are not given any more."""
        if self._running is None:
            raise WrongUse("the crawl has not begun: finish it inside of `async with`")
        self._feed.discard()
        await asyncio.shield(asyncio.wait({self._running}))
        self._raise_failure()

    def stop(self) -> None:
        """Asks the crawl to stop. Pages that are durable still come; then the loop ends."""
        if self._hooked is not None:
            self._hooked.session.stop(INTERRUPTED)

    async def _begin(self) -> None:
        observer = LogObserver()
        prepared = await asyncio.to_thread(self._call.prepare, observer.say)
        self._directory = prepared.directory
        self._hooked = await asyncio.to_thread(self._make_session, prepared, observer)
        self._running = asyncio.create_task(self._run(self._hooked))
        try:
            await self._wait_until_open()
        except BaseException:
            await self._stop()
            raise

    def _make_session(self, prepared: Prepared, observer: LogObserver) -> HookedSession:
        """Imports the hooks of installed packages, so it may take a while."""
        return HookedSession(prepared, observer, self._call.log, hooks=self._hooks, feeds=(self._feed,))

    async def _run(self, hooked: HookedSession) -> None:
        try:
            summary = await hooked.run()
        except UnknownSeed as error:
            raise describe_in_python(error) from None
        self._summary = list_figures(summary)
        self._warnings = list(list_warnings(summary, hooked.first_failure))
        for text in self._warnings:
            _log.warning("%s", text)

    async def _wait_until_open(self) -> None:
        """Until the directory is locked and its stores are open, so that errors are raised by `async with` itself."""
        assert self._hooked is not None
        assert self._running is not None
        opened = asyncio.ensure_future(self._hooked.session.wait_until_open())
        try:
            await asyncio.wait({opened, self._running}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            opened.cancel()
        self._raise_failure()

    async def _stop(self) -> None:
        """Stops the crawl and waits until everything is durable and closed, also if the waiting task is cancelled
        meanwhile: that is raised when the crawl is closed."""
        running, hooked = self._running, self._hooked
        assert running is not None
        assert hooked is not None
        if not running.done():
            hooked.session.stop(INTERRUPTED)
        self._feed.discard()
        hooked.discard_pages()
        cancelled: asyncio.CancelledError | None = None
        while not running.done():
            try:
                await asyncio.wait({running})
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled

    def _raise_failure(self) -> None:
        running = self._running
        if running is not None and running.done() and not running.cancelled():
            with suppress(asyncio.CancelledError):
                running.result()


def _count_own_frames() -> int:
    """The `stacklevel` at which a warning of the calling function points at the first line outside of Hondius."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith("hondius."):
        frame, level = frame.f_back, level + 1
    return level


def list_warnings(summary: Summary, first_failure: str) -> Iterator[str]:
    """Why the result of a run that raised no error is not what it looks like."""
    if summary.failed_seeds:
        first, others = summary.failed_seeds[0], len(summary.failed_seeds) - 1
        reason = ": ".join(word for word in (first.cause, first.detail) if word) or "it waits"
        more = f", and {format_count(others, 'other seed')}" if others else ""
        why = quote_command("explain", summary.directory, first.url)
        yield f"nothing was fetched: {first.url} failed ({reason}){more}; {why} tells more"
    if summary.hook_failures:
        calls = format_count(summary.hook_failures, "call")
        yield f"{calls} of hooks failed, the first: {first_failure}; tracebacks are in {summary.directory}/crawl.log"
