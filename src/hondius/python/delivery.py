"""Pages on their way from the commit to the program. A slow program slows the crawl down, and memory stays flat."""

import asyncio
import threading
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Protocol
from weakref import finalize

from hondius.crawler.statistics import RECEIVED
from hondius.errors import WrongUse
from hondius.model import Extracted, Finished, Frame
from hondius.opening import Crawl, place_of
from hondius.python.archived import make_page
from hondius.python.consumers import ConsumedPages
from hondius.python.off_loop import iterate_on_thread
from hondius.python.opened import OpenedCrawl
from hondius.python.page import Page
from hondius.use.content import Contents, list_ends, make_row_of_end


class PageFeed(Protocol):
    """The pages of a running crawl for one loop. It is also the crawl's `Delivery`."""

    on_taken: Callable[[], None]
    """Called when there may be room again."""

    def has_room(self, under_way: int) -> bool: ...
    def deliver(self, frame: Frame) -> None: ...
    def discard(self) -> None:
        """Nobody takes pages any more: the crawl goes on without waiting."""

    def end(self) -> None:
        """No more pages come."""

    async def take(self, directory: Path) -> Page | None:
        """The next page; None when no more come."""

    async def close(self) -> None: ...


class NewPages:
    """The pages that this run fetches, in a bounded buffer. The crawl requests a page only if there is room for it."""

    def __init__(self, capacity: int) -> None:
        self.on_taken: Callable[[], None] = lambda: None
        self._capacity = capacity
        self._ends: deque[tuple[Finished, Extracted | None]] = deque()
        self._arrived = asyncio.Event()
        self._is_over = False
        self._discards = False
        self._contents: Contents | None = None

    def has_room(self, under_way: int) -> bool:
        return self._discards or len(self._ends) + under_way < self._capacity

    def deliver(self, frame: Frame) -> None:
        if not self._discards:
            self._ends.extend(list_pages(frame))
            self._arrived.set()

    def discard(self) -> None:
        self._discards = True
        self._ends.clear()
        self.on_taken()

    def end(self) -> None:
        self._is_over = True
        self._arrived.set()

    async def take(self, directory: Path) -> Page | None:
        while not self._ends or self._contents is None:
            if self._ends:  # another task may have taken them when the contents are open
                opened = await asyncio.to_thread(_open_contents, directory)
                self._contents = self._contents or opened
            elif self._is_over:
                return None
            else:
                self._arrived.clear()
                await self._arrived.wait()
        end, said = self._ends.popleft()
        self.on_taken()
        return make_page(make_row_of_end(end, said), self._contents)

    async def close(self) -> None:
        """Pages that the program keeps can still be read: the last of them closes the stores."""
        self._contents = None


class PagesOfConsumer:
    """The pages that a named consumer has not acknowledged yet, from the log: first those of earlier runs."""

    def __init__(self, name: str, capacity: int) -> None:
        self.on_taken: Callable[[], None] = lambda: None
        self._name = name
        self._capacity = capacity
        self._waiting: Counter[bytes] = Counter()
        """Keys of pages that this run made durable and the consumer has not taken."""
        self._discards = False
        self._pages: AsyncGenerator[Page, None] | None = None
        self._opening: asyncio.Task[OpenedCrawl] | None = None
        self._taking: asyncio.Task[Page | None] | None = None
        """The page on its way. It stays so if the program stops waiting for it, and comes with the next take."""
        self._is_taken_from = False
        self._consumed: ConsumedPages | None = None

    def has_room(self, under_way: int) -> bool:
        return self._discards or self._waiting.total() + under_way < self._capacity

    def deliver(self, frame: Frame) -> None:
        if not self._discards:
            self._waiting.update(end.key for end, _ in list_pages(frame))

    def discard(self) -> None:
        self._discards = True
        self._waiting.clear()
        self.on_taken()

    def end(self) -> None:
        """The consumer finds out by itself: no process holds the lock any more."""

    async def take(self, directory: Path) -> Page | None:
        if self._is_taken_from:  # taking a page acknowledges the one before: whose would that be?
            raise WrongUse("another task takes pages of this consumer: give them out from one task")
        if self._taking is None:
            self._taking = asyncio.create_task(self._take_next(directory))
        self._is_taken_from = True
        try:
            await asyncio.wait({self._taking})
        finally:
            self._is_taken_from = False
        taking, self._taking = self._taking, None
        page = None if taking.cancelled() else taking.result()  # only `close` cancels it
        if page is not None and self._waiting[page.key] > 0:
            self._waiting[page.key] -= 1
            self.on_taken()
        return page

    def stop_acknowledging(self) -> None:
        """The page that was taken last comes again in the next run, and so do all after it."""
        if self._consumed is not None:
            self._consumed.stop_acknowledging()

    def _consume(self, opened: OpenedCrawl, stopped: threading.Event) -> ConsumedPages:
        self._consumed = opened.consume(self._name, stopped, follow=True, noindex=True)
        return self._consumed

    async def _take_next(self, directory: Path) -> Page | None:
        if self._pages is None:
            if self._opening is None:
                self._opening = asyncio.create_task(asyncio.to_thread(_open_crawl, directory))
            opened = await asyncio.shield(self._opening)
            self._pages = iterate_on_thread(lambda stopped: iter(self._consume(opened, stopped)))
        return await anext(self._pages, None)

    async def close(self) -> None:
        """Saves what was acknowledged. A page that is still on its way was not."""
        if self._taking is not None:
            self._taking.cancel()
            await asyncio.gather(self._taking, return_exceptions=True)
        if self._pages is not None:
            await self._pages.aclose()
        if self._opening is not None:
            await asyncio.wait({self._opening})
            if self._opening.exception() is None:
                await asyncio.to_thread(self._opening.result().close)


def list_pages(frame: Frame) -> list[tuple[Finished, Extracted | None]]:
    """The ends of pages with content, in the order of the frame."""
    return [(end, said) for end, said in list_ends(frame) if end.kind == "page" and end.state in RECEIVED]


def _open_contents(directory: Path) -> Contents:
    reading = Crawl(place_of(directory))
    reading.catalog  # noqa: B018 - opened here, and not on the event loop
    contents = Contents(reading)
    finalize(contents, reading.close)
    return contents


def _open_crawl(directory: Path) -> OpenedCrawl:
    return OpenedCrawl.prepare(Crawl(place_of(directory)))
