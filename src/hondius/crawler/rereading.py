"""Rereads links from the archive, in the background, if they may lead to other results now.

There are two lists. First, pages that were *found closer* to a seed than when they were fetched (D5): with a depth
limit, their links may be within it after all. Pages at the limit or beyond it are left to a run with a higher limit,
because none of their links is within it. Without a limit, depth does not matter and nothing is reread. Second, pages
that led out of the scope while seeds were still missing (`left_out.py`, D1): the scope has grown since. They are judged
again when this run reads no more seeds.

A few pages at a time are read on a worker thread, the closest first. What follows from a page is submitted together
with the event that records the rereading, so a kill loses nothing. A page whose body is missing is fetched again. So is
a page that a bug kept out of the log after its links were read: those may be in the log.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from hondius.clock import Clock
from hondius.crawler.archived_answers import WITH_LINKS, ArchivedAnswers, Row
from hondius.crawler.boundary import Boundary
from hondius.crawler.commit import Commit, Outcome
from hondius.crawler.outcomes import Outcomes
from hondius.crawler.reread_links import ArchivedAnswer, RereadLinks
from hondius.crawler.reread_list import Item, RereadList
from hondius.crawler.statistics import Statistics
from hondius.errors import is_internal
from hondius.model import AnyEvent, JudgedAgain, LeftOut, Reread, State
from hondius.native import Discoveries

WAIT = 0.05


class Rereading:
    def __init__(
        self,
        listed: RereadList,
        answers: ArchivedAnswers,
        following: RereadLinks,
        *,
        outcomes: Outcomes,
        commit: Commit,
        boundary: Boundary,
        statistics: Statistics,
        clock: Clock,
    ) -> None:
        self.listed = listed
        self._answers = answers
        self._following = following
        self._links = following.links
        self._outcomes = outcomes
        self._commit = commit
        self._boundary = boundary
        self._statistics = statistics
        self._clock = clock
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hondius-reread")

    async def reread(self, items: Sequence[Item]) -> None:
        """`items` were found closer; if there are none, what was left out is reread. Returns when all results are
        durable."""
        frames_seen = self.listed.frames_applied
        await self._wait_until(self.listed.make_view_check())
        if not items:
            rows = await asyncio.get_running_loop().run_in_executor(self._worker, self.listed.read_left_out)
            items = self.listed.select_left_out(rows, frames_seen)
        last: asyncio.Event | None = None
        for item in items:
            await self._wait_until(self._commit.accepts)
            last = await self._reread_item(item) or last
        if last is not None:
            self._commit.hurry()
            await last.wait()

    async def _reread_item(self, item: Item) -> asyncio.Event | None:
        """Returns an event that is set once the result is durable. A bug affects only the page that meets it: the page
        stays listed, is tried again, and after TRIES is left to the next run."""
        durable = asyncio.Event()
        try:
            if isinstance(item, Reread):
                await self._reread_closer(item, durable)
            else:
                await self._judge_again(item, durable)
        except BaseException as error:
            if not is_internal(error):
                raise
            self._report_failure(item, error)
            return None
        return durable

    def _submit(
        self, item: Item, events: Sequence[AnyEvent], found: Sequence[Discoveries], durable: asyncio.Event
    ) -> None:
        """Submits what was found, with the event that records that the item is done."""

        def mark_done() -> None:
            self.listed.forget_failures(item)
            durable.set()

        def handle_unwritten(error: BaseException) -> None:
            self._links.withdraw(found)
            self._report_failure(item, error)
            durable.set()

        self._commit.submit(
            Outcome(events=events, discoveries=found, on_durable=mark_done, on_unwritten=handle_unwritten)
        )

    def _report_failure(self, item: Item, error: BaseException) -> None:
        what = item.origin if isinstance(item, LeftOut) and item.origin else f"page {item.key.hex()}"
        self._boundary.report(f"the links of {what} could not be reread", error)
        self.listed.count_failure(item)

    def close(self) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def _wait_until(self, may_go_on: Callable[[], bool]) -> None:
        while not may_go_on():
            await self._clock.sleep_until(self._clock.now() + WAIT)

    async def _reread_closer(self, item: Reread, durable: asyncio.Event) -> None:
        due = await self._run_on_worker(self._read, item)
        found = self._following.admit_closer(due, item.key, item.depth)
        with self._links.withdraw_on_failure(found):
            self._submit(item, [item], found, durable)

    async def _judge_again(self, item: LeftOut, durable: asyncio.Event) -> None:
        """Each piece of a large sitemap is submitted by itself."""
        due = await self._read_left_out(item)
        is_target = due.row is not None and due.row["state"] == State.REDIRECTED
        depth = _compute_depth(item, due.row, is_target=is_target)
        for found in self._following.admit_inside(due, item, depth):
            with self._links.withdraw_on_failure(found):
                via = "redirect" if is_target else "link"
                refused = self._outcomes.list_refusals_at(found, item.key or None, depth, via)
                self._commit.submit(
                    Outcome(
                        events=refused, discoveries=found, on_unwritten=partial(self._handle_unwritten, item, found)
                    )
                )
                self._statistics.discovered += sum(some.count for some in found)
            await asyncio.sleep(0)
        events: list[AnyEvent] = [JudgedAgain(item.key, item.origin), *self.listed.list_again(item)]
        self._submit(item, events, (), durable)

    async def _read_left_out(self, item: LeftOut) -> ArchivedAnswer:
        if item.origin:
            return ArchivedAnswer(None, rules=await self._following.sitemaps.look_up_rules(item.origin))
        return await self._run_on_worker(self._read, item)

    def _handle_unwritten(self, item: LeftOut, found: Sequence[Discoveries], error: BaseException) -> None:
        """Withdraws the links, so that they are new to the next page that names them."""
        self._links.withdraw(found)
        self._report_failure(item, error)

    async def _run_on_worker(self, step: Callable[[Item], ArchivedAnswer], item: Item) -> ArchivedAnswer:
        return await asyncio.get_running_loop().run_in_executor(self._worker, step, item)

    def _read(self, item: Item) -> ArchivedAnswer:
        """Runs on the worker thread."""
        row = self._answers.find_last(item.key)
        if row is None and isinstance(item, Reread) and (lost := self._answers.find_lost(item.key)) is not None:
            return ArchivedAnswer(lost, is_lost=True)
        if row is None or row["state"] not in WITH_LINKS or (row["links"] == 0 and isinstance(item, Reread)):
            return ArchivedAnswer(row)
        content = self._answers.read(row)
        return ArchivedAnswer(row, content, is_lost=content is None)


def _compute_depth(item: LeftOut, row: Row | None, *, is_target: bool) -> int:
    """The depth of what it leads to. The page may have been found closer since it was listed."""
    if row is None or row["kind"] != "page":
        return item.depth
    deepest: int = row["depth"] if is_target else row["depth"] + 1
    return min(item.depth, deepest)
