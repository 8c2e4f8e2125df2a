"""Computes the ranks of pages and hosts while the crawl runs, and moves queued URLs to their new classes (F2, S8).

The links of a page are noted when it ends. What earlier runs have stored is read first, once. A worker thread computes
the ranks after `rank.every` pages, and then each time after half as many again as there were before: all computations
together cost about three times the last one. New links are rated by them from then on. The queues are walked through in
steps, and each step that moves URLs is an event, which is durable before the next step begins.

Nothing of this must be durable or complete: a kill, or a full disk, costs some order.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from hondius.clock import Clock
from hondius.crawler.boundary import Boundary
from hondius.crawler.commit import Commit, Outcome
from hondius.crawler.page import Ratings
from hondius.errors import HondiusError, is_internal
from hondius.model import Reprioritised
from hondius.native import EdgeLog, NativeError, RankFactors, Ranks
from hondius.ports import UrlStore
from hondius.settings.rank import RankSettings

Result = TypeVar("Result")
SLOTS = 5_000
"""Queued URLs that a step looks at, approximately."""
TOLERANCE = 1e-6
"""Percentiles need no more."""
WAIT = 0.05


class Ranking:
    def __init__(
        self,
        *,
        ratings: Ratings,
        edges: EdgeLog,
        read_earlier: Callable[[EdgeLog], object] | None,
        urls: UrlStore,
        commit: Commit,
        boundary: Boundary,
        settings: RankSettings,
        clock: Clock,
    ) -> None:
        """`read_earlier` adds what earlier runs have stored; None if there were none. It runs on the worker thread."""
        self._ratings = ratings
        self._edges = edges
        self._read_earlier = read_earlier
        self._urls = urls
        self._commit = commit
        self._boundary = boundary
        self._settings = settings
        self._clock = clock
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hondius-rank")
        self._due_at = settings.every if read_earlier is None else 0
        """The number of noted pages at which ranks are due."""
        if settings.every:
            ratings.note_into(edges)

    @property
    def is_due(self) -> bool:
        return self._ratings.is_noting and self._ratings.pages >= self._due_at

    async def update(self) -> None:
        """Raises NativeError if the URL store is damaged. Whatever else goes wrong ends the ranking of this run, not
        the run."""
        try:
            await self._update()
        except BaseException as error:
            if not is_internal(error):
                raise
            self._ratings.stop_noting(error)
            self._boundary.report("page ranks could not be computed", error)

    async def _update(self) -> None:
        pages = self._ratings.pages
        try:
            ranks, known = await self._run_on_worker(self._compute)
        except (HondiusError, NativeError, OSError) as error:
            if is_internal(error):
                raise
            self._ratings.stop_noting(error)
            return
        if ranks is None:
            self._due_at = pages + self._settings.every - known
        else:
            self._due_at = pages + max(self._settings.every, known // 2)
            await self._move_queued(self._ratings.use(ranks))

    def close(self) -> None:
        """Returns when the worker thread has ended: the URL store may be closed then."""
        self._edges.stop()
        self._worker.shutdown(cancel_futures=True)

    def _compute(self) -> tuple[Ranks | None, int]:
        """Runs on the worker thread. Also returns how many pages there are; with few pages, there are no ranks."""
        if self._read_earlier is not None:
            self._read_earlier(self._edges)
            self._read_earlier = None
        pages = self._edges.pages
        if pages < self._settings.every:
            return None, pages
        return self._edges.compute(memory=self._settings.memory, tolerance=TOLERANCE, top=0), pages

    async def _move_queued(self, factors: RankFactors) -> None:
        cursor: tuple[int, int, int] | None = (0, 0, 0)
        while cursor is not None:
            while not self._commit.accepts():
                await self._clock.sleep_until(self._clock.now() + WAIT)
            step = partial(self._urls.rerank, factors, cursor, SLOTS)
            data, count, cursor = await self._run_on_worker(step)
            if count:
                await self._submit(Reprioritised(data, count))

    async def _submit(self, event: Reprioritised) -> None:
        """Returns when it is durable, or cannot be written: then these URLs keep their places."""
        settled = asyncio.Event()
        self._commit.submit(Outcome(events=[event], on_durable=settled.set, on_unwritten=lambda error: settled.set()))
        await settled.wait()

    async def _run_on_worker(self, step: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._worker, step)
