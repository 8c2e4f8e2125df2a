"""Opens a crawl by its place. A full disk delays that, as it delays everything else (S5)."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from math import inf

from hondius.crawler.assemble.crawl import OpenCrawl, assemble_crawl
from hondius.crawler.assemble.surroundings import make_surroundings
from hondius.crawler.crawl_settings import open_settings, write_settings
from hondius.crawler.extensions import NO_EXTENSIONS, Extensions
from hondius.crawler.failed_seeds import may_succeed_now
from hondius.crawler.idle_crawl import queue_seeds_again
from hondius.crawler.seeds import SeedSource
from hondius.crawler.store_opening import UNWATCHED, Watch, open_stores
from hondius.crawler.translation import fit_to_system
from hondius.errors import BrokenView, DiskFull
from hondius.ports import Lock, Place, Stores
from hondius.settings import Settings

RETRY_FULL_DISK = 1.0


async def lock_place(place: Place, watch: Watch = UNWATCHED, deadline: float = inf) -> Lock:
    """Locks the crawl as soon as the disk has room for the lock. `deadline`: as for `open_crawl`."""
    while True:
        try:
            return place.lock()
        except DiskFull as full:
            await _wait_for_room(full, watch, deadline)


@asynccontextmanager
async def open_crawl(
    place: Place,
    settings: Settings,
    choose_seeds: Callable[[Stores], Awaitable[SeedSource | None]],
    watch: Watch = UNWATCHED,
    broken: BrokenView | None = None,
    deadline: float = inf,
    extensions: Extensions = NO_EXTENSIONS,
) -> AsyncIterator[OpenCrawl]:
    """Creates or resumes the crawl. The caller holds the lock and has checked the settings. What can fail here is the
    disk, or `choose_seeds`, which is called before anything of an existing crawl changes.

    `broken`: the view that stopped the previous run; it is repaired first. `deadline`: until when to wait for room on
    the disk, by the monotonic clock."""
    async with AsyncExitStack() as stack:
        stores = await _open(stack, place, settings, watch, broken, deadline)
        seeds = await choose_seeds(stores)
        await _try_seeds_again(stores, place, settings, watch, deadline)
        write_settings(place, settings)
        here = fit_to_system(settings)
        yield await stack.enter_async_context(
            assemble_crawl(stores, here, seeds, make_surroundings(place.directory, here, extensions))
        )


async def choose_no_seeds(stores: Stores) -> None:
    """Resumes a crawl with the seeds that it has."""


async def _open(
    stack: AsyncExitStack, place: Place, settings: Settings, watch: Watch, broken: BrokenView | None, deadline: float
) -> Stores:
    worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hondius-opening")  # not awaited at the end
    while True:
        try:
            stores = await asyncio.get_running_loop().run_in_executor(
                worker, open_stores, stack, place, settings, watch, broken
            )
        except DiskFull as full:
            broken = None  # already discarded; what the new view has is kept
            await _wait_for_room(full, watch, deadline)
        else:
            watch.paused("")
            worker.shutdown(wait=False)
            return stores


async def _try_seeds_again(stores: Stores, place: Place, settings: Settings, watch: Watch, deadline: float) -> None:
    """Before the new settings are written; `failed_seeds.py` says why."""
    if not may_succeed_now(open_settings(place), settings):
        return
    while True:
        try:
            await asyncio.to_thread(queue_seeds_again, stores, settings)
        except DiskFull as full:
            await _wait_for_room(full, watch, deadline)
        else:
            watch.paused("")
            return


async def _wait_for_room(full: DiskFull, watch: Watch, deadline: float) -> None:
    watch.paused(str(full))
    left = deadline - time.monotonic()
    if left <= 0:
        raise DiskFull(f"{full}: no room came free before --max-time was over, and nothing was fetched") from full
    await asyncio.sleep(min(RETRY_FULL_DISK, left))
