"""A crawl for programs with an event loop: it is opened, read and closed on its own thread."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from hondius.opening.crawl import Crawl
from hondius.opening.places import place_of

Result = TypeVar("Result")


class AsyncCrawl:
    """Runs one question at a time on the worker thread, without blocking the event loop."""

    def __init__(self, worker: ThreadPoolExecutor, crawl: Crawl) -> None:
        self._worker = worker
        self._crawl = crawl

    async def ask(self, question: Callable[[Crawl], Result]) -> Result:
        """The result must be complete, for example a list: an iterator would read on the wrong thread."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, question, self._crawl)


@asynccontextmanager
async def open_crawl_async(name: Path) -> AsyncIterator[AsyncCrawl]:
    loop = asyncio.get_running_loop()
    worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hondius-reading")
    try:
        crawl = await loop.run_in_executor(worker, lambda: Crawl(place_of(name)))
        try:
            yield AsyncCrawl(worker, crawl)
        finally:
            await loop.run_in_executor(worker, crawl.close)
    finally:
        worker.shutdown(wait=False)
