"""Reads links again from the archive, in the background, where they mean something else by now.

Two lists say which. A page that was *found closer* to a seed than it was fetched at (D5): with a limit on depth, its
links may be within it after all. Pages at the limit or beyond it are left to a run with a higher one: nothing that they
link to is within it. Without a limit nobody asks for depths, and nothing is read again. And a page that led out of the
scope while seeds were still to come (`left_out.py`, D1): the scope has grown since. It is judged again when this run
reads no more seeds.

The pages are read a few at a time on a worker thread, the closest first; what follows from one is left to the commit
together with the event that says so, so that a kill loses nothing. A page whose body is not there is fetched again, and
so is one that a bug kept out of the log after it had been read: its links may be there.
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
from hondius.crawler.reread_links import Due, RereadLinks
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

    async def take_up(self, items: Sequence[Item]) -> None:
        """`items` were found closer; if there are none, what was left out is taken up. Returns when what follows from
        all of them is durable."""
        stirred = self.listed.stirred
        await self._until(self.listed.view_knows_all())
        if not items:
            rows = await asyncio.get_running_loop().run_in_executor(self._worker, self.listed.read_left_out)
            items = self.listed.left_out(rows, stirred)
        last: asyncio.Event | None = None
        for item in items:
            await self._until(self._commit.accepts)
            last = await self._take_up(item) or last
        if last is not None:
            self._commit.hurry()
            await last.wait()

    async def _take_up(self, item: Item) -> asyncio.Event | None:
        """Returns what is set once that is durable. A bug that a page meets is that page's alone: it stays listed, is
        tried again, and after TRIES left to the next run."""
        durable = asyncio.Event()
        try:
            if isinstance(item, Reread):
                await self._take_up_closer(item, durable)
            else:
                await self._judge_again(item, durable)
        except BaseException as error:
            if not is_internal(error):
                raise
            self._failed(item, error)
            return None
        return durable

    def _leave(
        self, item: Item, events: Sequence[AnyEvent], found: Sequence[Discoveries], durable: asyncio.Event
    ) -> None:
        """Leaves what was found to the commit, with the event that says that the item is done."""

        def is_kept() -> None:
            self.listed.succeeded(item)
            durable.set()

        def unwritten(error: BaseException) -> None:
            self._links.withdraw(found)
            self._failed(item, error)
            durable.set()

        self._commit.submit(Outcome(events=events, discoveries=found, on_durable=is_kept, on_unwritten=unwritten))

    def _failed(self, item: Item, error: BaseException) -> None:
        what = item.origin if isinstance(item, LeftOut) and item.origin else f"page {item.key.hex()}"
        self._boundary.report(f"the links of {what} could not be read again", error)
        self.listed.failed(item)

    def close(self) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def _until(self, may_go_on: Callable[[], bool]) -> None:
        while not may_go_on():
            await self._clock.sleep_until(self._clock.now() + WAIT)

    async def _take_up_closer(self, item: Reread, durable: asyncio.Event) -> None:
        due = await self._on_worker(self._read, item)
        found = self._following.found_closer(due, item.key, item.depth)
        with self._links.withdraw_on_failure(found):
            self._leave(item, [item], found, durable)

    async def _judge_again(self, item: LeftOut, durable: asyncio.Event) -> None:
        """Each piece of a large sitemap goes to the commit by itself."""
        due = await self._due(item)
        is_target = due.row is not None and due.row["state"] == State.REDIRECTED
        depth = _depth_now(item, due.row, is_target=is_target)
        for found in self._following.inside(due, item, depth):
            with self._links.withdraw_on_failure(found):
                via = "redirect" if is_target else "link"
                refused = self._outcomes.list_refusals_at(found, item.key or None, depth, via)
                self._commit.submit(
                    Outcome(events=refused, discoveries=found, on_unwritten=partial(self._lost, item, found))
                )
                self._statistics.discovered += sum(some.count for some in found)
            await asyncio.sleep(0)
        events: list[AnyEvent] = [JudgedAgain(item.key, item.origin), *self.listed.list_again(item)]
        self._leave(item, events, (), durable)

    async def _due(self, item: LeftOut) -> Due:
        if item.origin:
            return Due(None, rules=await self._following.sitemaps.rules_of(item.origin))
        return await self._on_worker(self._read, item)

    def _lost(self, item: LeftOut, found: Sequence[Discoveries], error: BaseException) -> None:
        """Takes the links back, so that they are new to the next page that names them."""
        self._links.withdraw(found)
        self._failed(item, error)

    async def _on_worker(self, step: Callable[[Item], Due], item: Item) -> Due:
        return await asyncio.get_running_loop().run_in_executor(self._worker, step, item)

    def _read(self, item: Item) -> Due:
        """On the worker thread."""
        row = self._answers.last(item.key)
        if row is None and isinstance(item, Reread) and (lost := self._answers.lost(item.key)) is not None:
            return Due(lost, is_lost=True)
        if row is None or row["state"] not in WITH_LINKS or (row["links"] == 0 and isinstance(item, Reread)):
            return Due(row)
        content = self._answers.read(row)
        return Due(row, content, is_lost=content is None)


def _depth_now(item: LeftOut, row: Row | None, *, is_target: bool) -> int:
    """The depth of what it leads to. The page may have been found closer since it was listed."""
    if row is None or row["kind"] != "page":
        return item.depth
    deepest: int = row["depth"] if is_target else row["depth"] + 1
    return min(item.depth, deepest)
