"""`hondius.crawl_sync`: the same crawl for programs without an event loop, and for notebooks, which have one."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, wait
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar, Unpack

from hondius.errors import WrongUse
from hondius.python.call import CrawlCall, Seeds
from hondius.python.crawling import BUFFER, RunningCrawl
from hondius.python.options import CrawlOptions
from hondius.python.page import Page

Result = TypeVar("Result")


def crawl_sync(
    *seeds: Seeds,
    into: str | Path | None = None,
    seeds_file: str | Path | None = None,
    consumer: str | None = None,
    buffer: int = BUFFER,
    add_seeds: bool = False,
    **options: Unpack[CrawlOptions],
) -> "SyncCrawl":
    """`hondius.crawl` without `async`, for scripts and notebooks. Its arguments are the same.

        with hondius.crawl_sync("https://example.com/", max_pages=1000) as crawl:
            for page in crawl:
                print(page.url, page.title)

    The crawl has a thread with an event loop of its own, so this also works inside a running event loop. Pages are
    used on the thread of the caller.
    """
    call = CrawlCall(seeds, into, seeds_file, options, add_seeds=add_seeds)
    return SyncCrawl(RunningCrawl(call, consumer=consumer, buffer=buffer))


class SyncCrawl:
    """A crawl for `with`, and its pages for `for`. Made by `hondius.crawl_sync`."""

    def __init__(self, crawl: RunningCrawl) -> None:
        self._crawl = crawl
        self._loop: LoopThread | None = None

    @property
    def directory(self) -> Path:
        """Where the crawl is stored."""
        return self._crawl.directory

    @property
    def summary(self) -> dict[str, Any]:
        """The figures of the run, as `hondius crawl --json` prints them. Available when the crawl is over."""
        return self._crawl.summary

    def __enter__(self) -> "SyncCrawl":
        loop = LoopThread()
        try:
            loop.run(self._crawl.__aenter__())
        except WrongUse as error:
            loop.close()
            # The frames below are ours: the mistake is in the call.
            raise error.with_traceback(None) from error.__cause__
        except BaseException:
            loop.close()
            raise
        self._loop = loop
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        loop, self._loop = self._loop, None
        if loop is not None:
            try:
                loop.run(self._crawl._leave(error))
            finally:
                loop.close()
            if error is None:
                self._crawl._warn()

    def __iter__(self) -> Iterator[Page]:
        return self

    def __next__(self) -> Page:
        page = self._get_loop().run(anext(self._crawl, None))
        if page is None:
            raise StopIteration
        return page

    def finish(self) -> None:
        """Runs until the crawl is over, without pages: those that were not taken are not given any more."""
        self._get_loop().run(self._crawl.finish())

    def stop(self) -> None:
        """Asks the crawl to stop. Pages that are durable still come; then the loop ends."""
        self._get_loop().call(self._crawl.stop)

    def _get_loop(self) -> "LoopThread":
        if self._loop is None:
            raise WrongUse("the crawl is not running: use it inside of its `with` block")
        return self._loop


class LoopThread:
    """An event loop on a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="hondius-loop", daemon=True)
        self._thread.start()

    def run(self, work: Awaitable[Result]) -> Result:
        """Waits for the result. An exception here, such as Ctrl-C, cancels the work, and waits until it has ended."""
        result: Future[Result] = Future()
        tasks: list[asyncio.Task[Result]] = []

        def begin() -> None:
            tasks.append(self._loop.create_task(_as_coroutine(work)))
            tasks[0].add_done_callback(partial(_pass_on, result))

        self._loop.call_soon_threadsafe(begin)
        try:
            return result.result()
        except BaseException:
            if not result.done():
                self._loop.call_soon_threadsafe(lambda: tasks[0].cancel())
                wait([result])
            raise

    def call(self, function: Callable[[], None]) -> None:
        self._loop.call_soon_threadsafe(function)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _serve(self) -> None:
        """Closes the loop on its own thread: that of the caller may have a running loop."""
        loop = self._loop
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


async def _as_coroutine(work: Awaitable[Result]) -> Result:
    """`anext` with a default returns an awaitable that is not a coroutine."""
    return await work


def _pass_on(result: "Future[Result]", task: "asyncio.Task[Result]") -> None:
    if task.cancelled():
        result.set_exception(asyncio.CancelledError())
    elif (error := task.exception()) is not None:
        result.set_exception(error)
    else:
        result.set_result(task.result())
