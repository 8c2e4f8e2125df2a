"""Takes up again the links of pages that were found closer to a seed than they were fetched at (D5).

With a limit on depth, such a page's links may be within it after all. They are read again from the archive, the closest
page first, a few at a time on a worker thread; what follows from one is left to the commit together with the word that
it was done, so that a kill loses nothing. Pages at the limit or beyond it are left to a run with a higher one: nothing
that they link to is within it. Without a limit nobody asks for depths, and nothing is read again.

What counts is the last answer that had links or led elsewhere: a page that fails or is forbidden by now has brought
what it has brought. A page whose body cannot be had is fetched again.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from hondius.clock import Clock
from hondius.crawler.boundary import Boundary
from hondius.crawler.commit import Commit, Outcome
from hondius.crawler.page import Links
from hondius.errors import BrokenView, HondiusError, is_internal
from hondius.model import Reread, State
from hondius.native import Discoveries, Identity, NativeError, Page, Reader, UrlStore, warc_page
from hondius.ports import Archive, Catalog
from hondius.settings import Settings

BATCH = 32
MOST_LOOKED_AT = 1_000
WAIT = 0.05
TRIES = 3
WITH_LINKS = frozenset({State.COMPLETED, State.DUPLICATE})
LEADING_ON = WITH_LINKS | {State.REDIRECTED}


@dataclass(frozen=True, slots=True)
class Due:
    """A page as it was when it last led on, and what its record holds."""

    row: dict[str, Any] | None
    """None: it never led anywhere."""
    page: Page | None = None
    is_lost: bool = False
    """It has links, and its body is not to be had."""


class Rereading:
    def __init__(
        self,
        *,
        urls: UrlStore,
        catalog: Catalog,
        archive: Archive,
        links: Links,
        commit: Commit,
        boundary: Boundary,
        reader: Reader,
        identity: Identity,
        settings: Settings,
        clock: Clock,
    ) -> None:
        self._urls = urls
        self._catalog = catalog
        self._archive = archive
        self._links = links
        self._commit = commit
        self._boundary = boundary
        self._reader = reader
        self._identity = identity
        self._max_depth = settings.scope.max_depth
        self._cap = settings.fetch.page_cap
        self._clock = clock
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hondius-reread")
        self._may_be_due = True
        self._failures: Counter[bytes] = Counter()
        """By page. There are no more of them than `due` looks at: those that are left stay listed before the others."""

    def stir(self) -> None:
        """A frame was applied: it may have found something closer."""
        self._may_be_due = True

    def due(self) -> Sequence[tuple[int, bytes]]:
        """(depth, key) of the next pages to read again. One that is wanted anew is not waited for: that may take days,
        and what it brings comes on top."""
        if self._max_depth is None or not self._may_be_due:
            return ()
        pages = self._urls.rereads(self._max_depth, MOST_LOOKED_AT)
        due = [(depth, key) for depth, key in pages if self._failures[key] < TRIES][:BATCH]
        self._may_be_due = bool(due)
        return due

    async def take_up(self, pages: Sequence[tuple[int, bytes]]) -> None:
        """Returns when what follows from all of them is durable."""
        await self._until(self._catalog_knows(self._urls.applied))
        last: asyncio.Event | None = None
        for depth, key in pages:
            await self._until(self._commit.accepts)
            last = await self._take_up(key, depth) or last
        if last is not None:
            self._commit.hurry()
            await last.wait()

    async def _take_up(self, key: bytes, depth: int) -> asyncio.Event | None:
        """Returns what is set once that is durable. A bug that a page meets is that page's alone: it stays listed, is
        tried again, and after TRIES left to the next run."""
        durable = asyncio.Event()
        try:
            due = await asyncio.get_running_loop().run_in_executor(self._worker, self._read, key)
            found = self._found(due, key, depth)
            with self._links.taken_back_on_failure(found):
                self._commit.leave(
                    Outcome(
                        events=[Reread(key, depth)],
                        discoveries=found,
                        durable=lambda: self._is_kept(key, durable),
                        unwritten=lambda error: self._unwritten(key, found, durable, error),
                    )
                )
        except BaseException as error:
            if not is_internal(error):
                raise
            self._failed(key, error)
            return None
        return durable

    def _is_kept(self, key: bytes, durable: asyncio.Event) -> None:
        self._failures.pop(key, None)
        durable.set()

    def _failed(self, key: bytes, error: BaseException) -> None:
        self._boundary.tell(f"the links of page {key.hex()} could not be read again", error)
        self._failures[key] += 1

    def _unwritten(
        self, key: bytes, found: Sequence[Discoveries], durable: asyncio.Event, error: BaseException
    ) -> None:
        self._links.take_back(found)
        self._failed(key, error)
        durable.set()

    def close(self) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def _until(self, may_go_on: Callable[[], bool]) -> None:
        while not may_go_on():
            await self._clock.sleep_until(self._clock.now() + WAIT)

    def _catalog_knows(self, sequence: int) -> Callable[[], bool]:
        """It is told of a frame after the URL store was."""
        return lambda: self._catalog.applied >= sequence

    def _found(self, due: Due, key: bytes, depth: int) -> list[Discoveries]:
        now, row = self._clock.now(), due.row
        if row is None:
            return []
        if due.is_lost:
            return [self._links.once_more(self._identity.parse(row["url"]), row["source"], depth, now)]
        if due.page is not None:
            return [self._links.closer_links(key, due.page, depth, now)]
        if row["state"] == State.REDIRECTED and row["redirect_to"]:
            return [self._links.closer_target(key, self._identity.parse(row["redirect_to"]), depth, now)]
        return []

    def _read(self, key: bytes) -> Due:
        """On the worker thread."""
        row = self._last_answer(key)
        if row is None or row["state"] not in WITH_LINKS or row["links"] == 0:
            return Due(row)
        try:
            page = self._page(row)
        except BrokenView:
            raise
        except (HondiusError, NativeError):
            page = None
        return Due(row, page, is_lost=page is None)

    def _last_answer(self, key: bytes) -> dict[str, Any] | None:
        """Of those that lead on. The history does not know how many links there were."""
        row = self._catalog.page(key)
        if row is None or row["state"] in LEADING_ON:
            return row
        for fetch in reversed(self._catalog.fetches(key)):
            if fetch["outcome"] in LEADING_ON:
                return {**row, **fetch, "state": fetch["outcome"], "links": None}
        return None

    def _page(self, row: dict[str, Any]) -> Page | None:
        record = self._record(row)
        if record is None:
            return None
        page, elsewhere = warc_page(self._reader, row["url"], record, cap=self._cap)
        if elsewhere is None:
            return page
        for original in self._originals(row, elsewhere):
            body = self._record(original)
            if body is not None:
                page, _ = warc_page(self._reader, row["url"], record, body, cap=self._cap)
                if page is not None:
                    return page
        return None

    def _record(self, row: dict[str, Any]) -> bytes | None:
        if row["warc_file"] is None:
            return None
        return self._archive.record(row["warc_file"], row["warc_offset"], row["warc_length"])

    def _originals(self, row: dict[str, Any], url: str) -> list[dict[str, Any]]:
        """Where the body may lie that a revisit stands for, the newest first: all that this URL was answered with."""
        try:
            key = self._identity.parse(url).key
        except NativeError:
            return []
        history = [fetch for fetch in self._catalog.fetches(key) if fetch["content_hash"] == row["content_hash"]]
        return history[::-1]
