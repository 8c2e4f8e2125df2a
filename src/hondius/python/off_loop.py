"""`hondius.open_async`: a crawl, open for reading, for programs that must not block their event loop.

Questions are answered on one thread. Each loop over pages has a thread of its own, because a consumer that follows a
crawl waits there for new pages (decision 0020).
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from hondius.consumer_names import check_own_name
from hondius.opening.threads import AsyncCrawl, open_crawl_async
from hondius.python.extracted import Rules
from hondius.python.filters import Filters
from hondius.python.opened import OpenedCrawl
from hondius.python.page import Page
from hondius.python.parts import Link
from hondius.python.summary import Host, Summary
from hondius.settings import Settings
from hondius.use.explain import Explanation
from hondius.use.report import DEFAULT_MOST, CrawlReport
from hondius.use.search import Results

if TYPE_CHECKING:
    from hondius.use.sql.result import Answer

Item = TypeVar("Item")
Result = TypeVar("Result")
Pages = Generator[Page, None, None]


@asynccontextmanager
async def open_async(directory: str | Path) -> AsyncIterator["AsyncOpenedCrawl"]:
    """Opens a crawl for reading, also while it runs: the same as `hondius.open`, with methods to await.

    async with hondius.open_async("shop") as crawl:
        async for page in crawl.pages(language="en"):
            await crawl.load(page, "markdown")
    """
    async with open_crawl_async(Path(directory)) as crawl:
        opened = await crawl.ask(OpenedCrawl.prepare)
        asked = AsyncOpenedCrawl(opened, crawl)
        try:
            yield asked
        finally:
            await crawl.ask(lambda _: opened.close())


class AsyncOpenedCrawl:
    """A crawl, open for reading, whose methods do not block the event loop."""

    def __init__(self, opened: OpenedCrawl, crawl: AsyncCrawl) -> None:
        self._opened = opened
        self._crawl = crawl

    @property
    def name(self) -> str:
        return self._opened.name

    @property
    def settings(self) -> Settings:
        return self._opened.settings

    async def page(self, url: str) -> Page:
        """The page of a URL that has ended. Raises UnknownUrl, which is a KeyError, for any other."""
        return await self._ask(lambda: self._opened[url])

    async def load(self, page: Page, *names: str) -> Page:
        """Reads values of a page that are not in the catalog, such as `text`, `markdown` or `links`; then the page has
        them. Otherwise they are read on the event loop when they are used, which takes milliseconds."""

        def read() -> Page:
            for name in names:
                getattr(page, name)
            return page

        return await self._ask(read)

    def pages(
        self, *, consumer: str | None = None, follow: bool = False, **filters: Unpack[Filters]
    ) -> AsyncIterator[Page]:
        """As `OpenedCrawl.pages`, for `async for`."""

        def iterate(stopped: threading.Event) -> Pages:
            if consumer is None:
                return iter(self._opened.pages(**filters))
            return iter(self._opened.consume(check_own_name(consumer), stopped, follow=follow, **filters))

        return iterate_on_thread(iterate)

    def extract(self, rules: Rules, **filters: Unpack[Filters]) -> AsyncIterator[dict[str, Any]]:
        """As `OpenedCrawl.extract`, for `async for`."""
        return iterate_on_thread(lambda _: iter(self._opened.extract(rules, **filters)))

    async def count(self, **filters: Unpack[Filters]) -> int:
        """How many pages the filters select."""
        return await self._ask(lambda: self._opened.pages(**filters).count())

    async def search(self, query: str, **options: Any) -> Results:
        """As `OpenedCrawl.search`."""
        return await self._ask(lambda: self._opened.search(query, **options))

    async def hosts(self) -> list[Host]:
        return await self._ask(lambda: list(self._opened.hosts()))

    async def links(self, url: str) -> list[Link]:
        return await self._ask(lambda: self._opened.links(url))

    def links_to(self, url: str) -> AsyncIterator[Page]:
        """As `OpenedCrawl.links_to`, for `async for`."""
        return iterate_on_thread(lambda _: self._opened.links_to(url))

    async def sql(
        self,
        query: str,
        *,
        rows: int | None = None,
        seconds: float = 60.0,
        memory: int = 1 << 30,
        noindex: bool = False,
    ) -> "Answer":
        """As `OpenedCrawl.sql`."""
        return await self._ask(
            lambda: self._opened.sql(query, rows=rows, seconds=seconds, memory=memory, noindex=noindex)
        )

    async def explain(self, url: str, at: datetime | float | None = None) -> Explanation:
        return await self._ask(lambda: self._opened.explain(url, at))

    async def report(self, *, host: str | Sequence[str] = (), most: int = DEFAULT_MOST) -> CrawlReport:
        return await self._ask(lambda: self._opened.report(host=host, most=most))

    async def summary(self) -> Summary:
        return await self._ask(self._opened.summary)

    async def _ask(self, question: Callable[[], Result]) -> Result:
        return await self._crawl.ask(lambda _: question())


async def iterate_on_thread(
    iterate: Callable[[threading.Event], Generator[Item, None, None]],
) -> AsyncGenerator[Item, None]:
    """If the loop ends early, `stopped` ends a wait for new items. The iterator is closed on its own thread: that saves
    the position of a consumer."""
    loop, stopped = asyncio.get_running_loop(), threading.Event()
    worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hondius-pages")
    generators: list[Generator[Item, None, None]] = []

    def take_next() -> Item | None:
        if not generators:
            generators.append(iterate(stopped))
        return next(generators[0], None)

    def close() -> None:
        for generator in generators:
            generator.close()

    try:
        while (item := await loop.run_in_executor(worker, take_next)) is not None:
            yield item
    finally:
        stopped.set()
        closing = loop.run_in_executor(worker, close)
        worker.shutdown(wait=False)
        await asyncio.shield(closing)
