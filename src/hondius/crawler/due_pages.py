"""Queues pages again that are due (R).

The partition's view has them in the order of their times, and they stay there until their new end is durable. So
nothing is lost by a kill: the next run finds the same pages due, and those that are queued already are not queued
twice. A run reads a thousand at a time, and goes on where it stopped. Every ten minutes it begins with the first again:
a page may have become due behind its back.

Without `--continuous`, a run queues what is due when it begins, and ends when that is fetched. The first run of a crawl
queues nothing.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import Any

from hondius.clock import Clock
from hondius.crawler.commit import Commit, Outcome
from hondius.crawler.page import Links
from hondius.crawler.recrawl import Allowance, Plan, Planning, Returns
from hondius.errors import HondiusError
from hondius.ports import PartitionView
from hondius.settings import RecrawlSettings

BATCH = 1_000
FIRST = (-inf, b"")
"""Before every page."""
BEGIN_AGAIN = 600.0
"""Seconds after which a run that goes on looks at all due pages again."""
LOOK_EVERY = 1.0
"""Seconds between two looks, if nothing is due before."""
LONGEST_WAIT = 60.0
"""Seconds between two looks. A page that ends now is not due before `recrawl.shortest`, so no look is longer away."""

Row = dict[str, Any]


class DuePages:
    """`is_resumed`: whether the crawl had any pages before this run."""

    def __init__(
        self,
        view: PartitionView,
        links: Links,
        commit: Commit,
        *,
        returns: Returns,
        planning: Planning,
        clock: Clock,
        settings: RecrawlSettings,
        is_resumed: bool,
    ) -> None:
        self._view = view
        self._links = links
        self._commit = commit
        self._returns = returns
        self._planning = planning
        self._clock = clock
        self._longest_wait = min(LONGEST_WAIT, settings.shortest)
        self._is_continuous = settings.continuous
        self._is_over = not settings.continuous and not is_resumed
        self._began = clock.now()
        self._allowance = Allowance(planning.budget if settings.continuous else None, self._began)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hondius-due")
        self._is_closed = False
        self._after = FIRST
        self._begin_again_at = self._began + BEGIN_AGAIN
        self.next_at = 0.0
        """When to look again."""

    @property
    def may_bring_more(self) -> bool:
        return not self._is_over or self._returns.has_modified

    @property
    def plan(self) -> Plan | None:
        return self._planning.plan

    def is_due(self) -> bool:
        return self._returns.has_modified or (not self._is_over and self._clock.now() >= self.next_at)

    async def queue_some(self) -> None:
        """Queues the next pages that are due, and decides when to look again."""
        if self._returns.has_modified:
            await self._queue_modified()
            return
        await self._plan()
        now = self._clock.now()
        if now >= self._begin_again_at:
            self._after, self._begin_again_at = FIRST, now + BEGIN_AGAIN
        most = self._allowance.count(BATCH, now)
        if not most:
            self.next_at = self._allowance.find_next_time(now)
            return
        until = now if self._is_continuous else self._began
        rows, next_due = await self._ask(lambda: self._read(until, most, now))
        self._queue(rows, self._clock.now())
        if len(rows) == most:
            self._after = (rows[-1]["next_fetch_at"], rows[-1]["key"])
            self.next_at = now
        elif self._is_continuous:
            if rows:
                self._after = (rows[-1]["next_fetch_at"], rows[-1]["key"])
            due = next_due if next_due is not None else inf
            self.next_at = min(max(due, now + LOOK_EVERY), now + self._longest_wait)
        else:
            self._is_over = True

    async def _queue_modified(self) -> None:
        """Pages of which a sitemap says that they were modified since their last visit (D2)."""
        now = self._clock.now()
        modified = self._returns.take_modified(self._allowance.count(BATCH, now) or BATCH)
        self._queue(await self._ask(lambda: self._read_modified(modified, now)), now)

    def close(self) -> None:
        """Returns when its thread has stopped reading, so that the view may be closed."""
        self._is_closed = True
        self._worker.shutdown(cancel_futures=True)

    async def _plan(self) -> None:
        now = self._clock.now()
        if self._planning.is_due(now):
            plan = await self._ask(lambda: self._planning.make(self._list_change_rates()))
            self._planning.follow(plan, now)

    def _list_change_rates(self) -> Iterator[tuple[float, float]]:
        """A run that ends does not wait until all pages are counted."""
        for rate in self._view.list_change_rates():
            if self._is_closed:
                raise HondiusError("the crawl is being closed")
            yield rate

    def _read(self, until: float, most: int, now: float) -> tuple[list[Row], float | None]:
        """The next due pages, rated, and when the next page after them is due."""
        rows = self._view.list_due(until, most, self._after)
        rated = [self._rate(row, now) for row in rows]
        return rated, self._view.find_next_due(until) if len(rows) < most else None

    def _read_modified(self, modified: Sequence[tuple[bytes, float]], now: float) -> list[Row]:
        """Those that were fetched before they were modified. Some sites say so of all their pages every day: a page
        that had not changed at its last visit gets half of its interval at least."""
        pages = ((self._view.page(key), at) for key, at in modified)
        return [self._rate(page, now) for page, at in pages if page is not None and _is_outdated(page, at, now)]

    def _rate(self, row: Row, now: float) -> Row:
        return {**row, "rated": self._links.ratings.rate_due(row, now)}

    def _queue(self, rows: Sequence[Row], now: float) -> None:
        due = self._returns.drop_ended(rows)
        if not due:
            return
        found = self._links.admit_due(due, now)
        with self._links.withdraw_on_failure(found):
            self._returns.note_due(due)
            self._commit.submit(Outcome(discoveries=found))
        self._allowance.spend(sum(some.count for some in found))

    async def _ask(self, question: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._worker, question)


def _is_outdated(page: Row, modified_at: float, now: float) -> bool:
    fetched_at, due_at = page["last_fetched_at"], page["next_fetch_at"]
    if fetched_at is None or due_at is None or not fetched_at < modified_at <= now:
        return False
    return page["changed"] is not False or now >= (fetched_at + due_at) / 2
