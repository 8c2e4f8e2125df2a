"""Reads records, analyses them on several threads, and submits them in order.

A page is submitted only while the commit keeps up, so memory does not grow with the archive. If a URL comes again
before its last answer is applied, everything before it is applied first: only then is it known whether the record is
newer.
"""

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from itertools import islice
from pathlib import Path

from hondius.crawler.assemble import ROBOTS_CAP, OpenImport, assemble_import
from hondius.crawler.crawl_settings import write_settings
from hondius.crawler.store_opening import UNWATCHED, Watch, open_stores
from hondius.errors import Broken, is_internal
from hondius.hints import quote_command
from hondius.opening import place_of
from hondius.settings import Settings
from hondius.use.importing.known import Preparation, ReadyAnswer, Skipped
from hondius.use.importing.records import (
    MARGIN,
    ArchivedRecord,
    ArchivedUrl,
    Tally,
    check_files,
    find_answer,
    list_origins,
    read_records,
)

BATCH = 64
"""Records that are read at once."""
BATCH_BYTES = 16 * 1024 * 1024
WAIT = 0.02
MOST_PENDING = 2_000
"""Answers that are submitted and not applied yet."""

Show = Callable[[Tally], None]


async def import_archives(
    directory: Path,
    settings: Settings,
    files: Sequence[Path],
    tally: Tally,
    show: Show = lambda tally: None,
    watch: Watch = UNWATCHED,
) -> None:
    """Imports into a new or an existing crawl. `tally` is filled meanwhile; `show` is called with it after each batch.
    Raises Broken if a view breaks: the same command continues."""
    tally.all_bytes = check_files(files)
    place = place_of(directory)
    async with AsyncExitStack() as stack:
        stack.enter_context(place.lock())
        stores = await asyncio.to_thread(open_stores, stack, place, settings, watch)
        write_settings(place, settings)
        opened = await stack.enter_async_context(assemble_import(stores, settings))
        await ArchiveImport(opened, settings, files, tally, show).run()


class ArchiveImport:
    def __init__(self, opened: OpenImport, settings: Settings, files: Sequence[Path], tally: Tally, show: Show) -> None:
        self._opened = opened
        self._journey = opened.journey
        self._commit = opened.commit
        self._settings = settings
        self._files = files
        self._tally = tally
        self._show = show
        self._preparation = Preparation(opened.stores, opened.identity, opened.importer)
        self._pending: set[bytes] = set()
        """Keys of answers that the views may not have yet."""

    async def run(self) -> None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        with ThreadPoolExecutor(1, "hondius-read") as reader, ThreadPoolExecutor(threads, "hondius-import") as workers:
            try:
                await self._record_scope(reader)
                await self._import_all(reader, workers)
                await self._wait_until_applied()
            finally:
                reader.shutdown(wait=False, cancel_futures=True)
                workers.shutdown(wait=False, cancel_futures=True)

    async def _record_scope(self, reader: ThreadPoolExecutor) -> None:
        """The hosts of the archives are in the scope. They are recorded before the first page, so that its links to
        them are queued. What their robots.txt files state is read before the first page, too (W2)."""
        loop = asyncio.get_running_loop()
        cap = ROBOTS_CAP + MARGIN
        origins = await loop.run_in_executor(
            reader, list_origins, self._files, self._opened.identity, cap, self._read_ahead
        )
        if self._settings.scope.scope == "any":
            origins = []
        names = ", ".join(file.name for file in self._files[:3])
        self._journey.extend_scope(origins, f"import of {names}")
        await self._wait_until_applied()

    def _read_ahead(self, answer: ArchivedUrl) -> None:
        found = self._preparation.prepare(answer)
        if isinstance(found, ReadyAnswer):
            self._journey.robots.read_ahead(answer.url.origin, found.fetched)

    async def _import_all(self, reader: ThreadPoolExecutor, workers: ThreadPoolExecutor) -> None:
        loop = asyncio.get_running_loop()
        records = read_records(self._files, self._settings.fetch.page_cap + MARGIN, self._tally)
        reading = loop.run_in_executor(reader, _read_batch, records)
        while batch := await reading:
            reading = loop.run_in_executor(reader, _read_batch, records)
            answers = [self._find_answer(record) for record in batch]
            prepared = [
                loop.run_in_executor(workers, self._preparation.prepare, answer)
                for answer in answers
                if answer is not None
            ]
            for one in prepared:
                await self._submit(await one, workers)
            self._show(self._tally)

    def _find_answer(self, record: ArchivedRecord) -> ArchivedUrl | None:
        return find_answer(record, self._opened.identity, self._tally)

    async def _submit(self, found: ReadyAnswer | Skipped, workers: ThreadPoolExecutor) -> None:
        key = found.answer.url.key
        may_have_come = isinstance(found, Skipped) and found.lacks_original
        if key in self._pending or (may_have_come and self._pending):
            await self._wait_until_applied()
            loop = asyncio.get_running_loop()
            found = await loop.run_in_executor(workers, self._preparation.prepare, found.answer)
        if isinstance(found, Skipped):
            return self._count_skipped(found)
        await self._wait_for_room()
        try:
            await self._process(found)
        except BaseException as error:
            if not is_internal(error):
                raise
            self._opened.boundary.report(f"{found.answer.url.href} could not be imported", error)
            self._tally.report(found.answer.source, f"a bug of Hondius: {type(error).__name__}: {error}")
        return None

    async def _process(self, found: ReadyAnswer) -> None:
        url = found.answer.url
        if found.answer.is_robots:
            is_new = self._journey.robots.process(url.origin, found.fetched)
            self._tally.robots += is_new
            self._tally.known += not is_new
            return
        self._pending.add(url.key)
        is_page = await self._journey.process(url, found.fetched, is_known=found.is_known, previous=found.previous)
        self._tally.pages += is_page
        self._tally.other_answers += not is_page

    def _count_skipped(self, skipped: Skipped) -> None:
        if not skipped.reason:
            self._tally.known += 1
        elif skipped.lacks_original:
            self._tally.without_original += 1
        else:
            self._tally.report(skipped.answer.source, skipped.reason)

    async def _wait_for_room(self) -> None:
        while not self._commit.accepts():
            await self._pause()
        if len(self._pending) >= MOST_PENDING:
            await self._wait_until_applied()

    async def _wait_until_applied(self) -> None:
        self._commit.hurry()
        while not self._commit.is_applied:
            await self._pause()
        self._pending.clear()

    async def _pause(self) -> None:
        if self._commit.broken is not None:
            again = quote_command("rebuild", self._opened.stores.place.name)
            raise Broken(f"{self._commit.broken}: then the same import continues; or run {again}")
        await asyncio.sleep(WAIT)


def _read_batch(records: Iterator[ArchivedRecord]) -> list[ArchivedRecord]:
    """Bounded in number and bytes. Empty at the end."""
    batch: list[ArchivedRecord] = []
    size = 0
    for record in islice(records, BATCH):
        batch.append(record)
        size += record.record.size
        if size >= BATCH_BYTES:
            break
    return batch
