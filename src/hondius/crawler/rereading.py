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
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from hondius.clock import Clock
from hondius.crawler.archived_answers import WITH_LINKS, ArchivedAnswers, Row
from hondius.crawler.boundary import Boundary
from hondius.crawler.commit import Commit, Outcome
from hondius.crawler.endings import Endings
from hondius.crawler.left_out import LeftOuts
from hondius.crawler.page import Links
from hondius.crawler.statistics import Statistics
from hondius.errors import is_internal
from hondius.model import AnyEvent, JudgedAgain, LeftOut, Reread, State
from hondius.native import Discoveries, Identity, Listing, Page
from hondius.ports import PartitionView, UrlStore, applied_by
from hondius.position import Position
from hondius.settings import Settings

BATCH = 32
MOST_LOOKED_AT = 1_000
WAIT = 0.05
TRIES = 3


@dataclass(frozen=True, slots=True)
class Due:
    """An answer as it was when it last led on, and what its record holds."""

    row: Row | None
    """None: it never led anywhere."""
    content: Page | Listing | None = None
    is_lost: bool = False
    """It has links, or may have some, and its body cannot be read from the archive."""


Item = Reread | LeftOut
"""What is to be read again: a page that was found closer (given as the event that will say that it was done), or
something that was left out of the scope."""


class Rereading:
    def __init__(
        self,
        *,
        urls: UrlStore,
        view: PartitionView,
        answers: ArchivedAnswers,
        links: Links,
        endings: Endings,
        left_outs: LeftOuts,
        sitemaps_of: Callable[[str], list[Discoveries]],
        commit: Commit,
        boundary: Boundary,
        identity: Identity,
        statistics: Statistics,
        settings: Settings,
        clock: Clock,
    ) -> None:
        self._urls = urls
        self._view = view
        self._answers = answers
        self._links = links
        self._endings = endings
        self._left_outs = left_outs
        self._sitemaps_of = sitemaps_of
        self._commit = commit
        self._boundary = boundary
        self._identity = identity
        self._statistics = statistics
        self._max_depth = settings.scope.max_depth
        self._clock = clock
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hondius-reread")
        self._may_be_closer = True
        self._may_be_inside = True
        self._failures: Counter[tuple[bytes, str]] = Counter()
        """By page, or origin. No more than MOST_LOOKED_AT: what fails stays listed, before the others."""

    def stir(self) -> None:
        """A frame was applied: it may have found something closer, or let the scope grow."""
        self._may_be_closer = self._may_be_inside = True

    @property
    def is_undecided(self) -> bool:
        """Whether something may have to be judged again: the view tells, once it has the last frame."""
        return self._may_be_inside and self._left_outs.has_any

    def due(self) -> Sequence[Item]:
        """The next to read again. A page that is also queued for a recrawl is not waited for: that may take days, and
        its new links are admitted then."""
        return self._found_closer() or self._left_out()

    def _found_closer(self) -> Sequence[Item]:
        if self._max_depth is None or not self._may_be_closer:
            return ()
        pages = self._urls.rereads(self._max_depth, MOST_LOOKED_AT)
        due = self._not_given_up([Reread(key, depth) for depth, key in pages])
        self._may_be_closer = bool(due)
        return due

    def _left_out(self) -> Sequence[Item]:
        if not self.is_undecided or self._left_outs.seeds_come:
            return ()
        is_up_to_date = self._view_knows(applied_by(self._urls))()
        due = self._not_given_up(self._view.left_out(MOST_LOOKED_AT))
        self._may_be_inside = bool(due) or not is_up_to_date
        return due

    def _not_given_up(self, items: Sequence[Item]) -> Sequence[Item]:
        return [item for item in items if self._failures[_name(item)] < TRIES][:BATCH]

    async def take_up(self, items: Sequence[Item]) -> None:
        """Returns when what follows from all of them is durable."""
        await self._until(self._view_knows(applied_by(self._urls)))
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
            self._failures.pop(_name(item), None)
            durable.set()

        def unwritten(error: BaseException) -> None:
            self._links.take_back(found)
            self._failed(item, error)
            durable.set()

        self._commit.leave(Outcome(events=events, discoveries=found, durable=is_kept, unwritten=unwritten))

    def _failed(self, item: Item, error: BaseException) -> None:
        what = item.origin if isinstance(item, LeftOut) and item.origin else f"page {item.key.hex()}"
        self._boundary.tell(f"the links of {what} could not be read again", error)
        self._failures[_name(item)] += 1

    def close(self) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def _until(self, may_go_on: Callable[[], bool]) -> None:
        while not may_go_on():
            await self._clock.sleep_until(self._clock.now() + WAIT)

    def _view_knows(self, position: Position) -> Callable[[], bool]:
        """It is told of a frame after the URL store was."""
        return lambda: self._view.position.covers(position)

    async def _take_up_closer(self, item: Reread, durable: asyncio.Event) -> None:
        due = await self._on_worker(self._read, item)
        found = self._found(due, item.key, item.depth)
        with self._links.taken_back_on_failure(found):
            self._leave(item, [item], found, durable)

    def _found(self, due: Due, key: bytes, depth: int) -> list[Discoveries]:
        now, row = self._clock.now(), due.row
        if row is None:
            return []
        if due.is_lost:
            return [self._links.once_more(self._identity.parse(row["url"]), row["source"], depth, now)]
        if isinstance(due.content, Page):
            return [self._links.closer_links(key, due.content, depth, now)]
        if row["state"] == State.REDIRECTED and row["redirect_to"]:
            return [self._links.closer_target(key, self._identity.parse(row["redirect_to"]), depth, now)]
        return []

    async def _judge_again(self, item: LeftOut, durable: asyncio.Event) -> None:
        """Each piece of a large sitemap goes to the commit by itself. While seeds are missing, the item stays listed:
        they may bring more of it inside."""
        due = Due(None) if item.origin else await self._on_worker(self._read, item)
        is_target = due.row is not None and due.row["state"] == State.REDIRECTED
        depth = _depth_now(item, due.row, is_target=is_target)
        for found in self._inside(due, item, depth):
            with self._links.taken_back_on_failure(found):
                via = "redirect" if is_target else "link"
                refused = self._endings.refusals_below(found, item.key or None, depth, via)
                self._commit.leave(
                    Outcome(events=refused, discoveries=found, unwritten=partial(self._lost, item, found))
                )
                self._statistics.discovered += sum(some.count for some in found)
            await asyncio.sleep(0)
        listed = self._left_outs.note(item.key, item.depth, item.hops, item.origin)
        events: list[AnyEvent] = [JudgedAgain(item.key, item.origin), *listed]
        self._leave(item, events, (), durable)

    def _lost(self, item: LeftOut, found: Sequence[Discoveries], error: BaseException) -> None:
        """Takes the links back, so that they are new to the next page that names them."""
        self._links.take_back(found)
        self._failed(item, error)

    def _inside(self, due: Due, item: LeftOut, depth: int) -> Iterator[list[Discoveries]]:
        """What it leads to, judged by the scope as it is now; of a sitemap in pieces."""
        now, row, content = self._clock.now(), due.row, due.content
        if item.origin:
            yield self._sitemaps_of(item.origin)
        elif row is None:
            return
        elif due.is_lost:
            url = self._identity.parse(row["url"])
            yield [self._links.once_more(url, row["source"], row["depth"], now, row["kind"])]
        elif isinstance(content, Listing):
            for piece in self._links.left_out_pages(item.key, row["host"], content, now):
                yield [piece]
        elif content is not None:
            if row["kind"] == "page" or self._links.has_place_for(row["url"], row["discovered_at"]):
                yield [self._links.left_out_links(item.key, row["host"], content, depth, now)]
        elif row["redirect_to"]:
            target = self._identity.parse(row["redirect_to"])
            kind, wanted = row["kind"], row["priority"]
            yield [
                self._links.left_out_target(
                    item.key, row["host"], target, kind=kind, depth=depth, hops=item.hops, wanted=wanted, now=now
                )
            ]

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


def _name(item: Item) -> tuple[bytes, str]:
    return item.key, item.origin if isinstance(item, LeftOut) else ""


def _depth_now(item: LeftOut, row: Row | None, *, is_target: bool) -> int:
    """The depth of what it leads to. The page may have been found closer since it was listed."""
    if row is None or row["kind"] != "page":
        return item.depth
    deepest: int = row["depth"] if is_target else row["depth"] + 1
    return min(item.depth, deepest)
