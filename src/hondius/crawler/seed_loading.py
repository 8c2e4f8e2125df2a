"""Loads the seeds of a command while the crawl runs: one slice per frame, and a mark after the last.

A slice is read on its own thread and submitted while the previous ones become durable. So only a few slices are in
memory, and pages are fetched meanwhile. After a kill between two frames, the log lacks the mark; the same command then
reads all seeds again, and those in the log are known.

If a slice meets a bug, its seeds are admitted one by one, and only the seed that meets the bug ends as `internal`. A
line that meets a bug is skipped. If reading itself fails, the log stays without the mark, and the crawl continues with
the seeds that it has. The mark is written only when all seeds before it are durable.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from hondius.clock import Clock
from hondius.crawler.boundary import Boundary
from hondius.crawler.commit import Commit, Outcome
from hondius.crawler.outcomes import Outcomes
from hondius.crawler.page import Links
from hondius.crawler.seeds import ORDERED, Seed, SeedSource, Slice
from hondius.errors import is_internal
from hondius.model import AnyEvent, NewSeeds, ScopeExtended, SeedsTaken
from hondius.native import Discoveries, NativeError

MOST_UNDER_WAY = 3
"""Slices that are submitted and not durable yet. Waiting for each frame would be slow: even a small frame takes
time."""

Marks = tuple[SeedsTaken, SeedsTaken]
"""The marks before and after a slice."""


class SeedLoading:
    def __init__(
        self,
        *,
        source: SeedSource | None,
        links: Links,
        outcomes: Outcomes,
        boundary: Boundary,
        commit: Commit,
        clock: Clock,
    ) -> None:
        self._source = source
        self._links = links
        self._outcomes = outcomes
        self._boundary = boundary
        self._commit = commit
        self._clock = clock
        self.passed_over = 0
        """Seeds that the settings exclude or refuse."""
        self._is_given_up = False

    @property
    def is_over(self) -> bool:
        return self._source is None or self._source.is_over or self._is_given_up

    @property
    def source(self) -> str:
        return "" if self._source is None else self._source.name

    @property
    def taken(self) -> int:
        return 0 if self._source is None else self._source.taken

    def begin(self, started: AnyEvent) -> None:
        """Records the start of the run and, in the same frame, that there are seeds, and those that are already read.
        If a view is broken, they remain to be taken."""
        source = self._source
        if source is None:
            return self._submit([started])
        try:
            return self._take(source, source.peek() or Slice((), is_last=False), [started])
        except NativeError:
            mark = SeedsTaken(self._clock.now(), source.name, source.taken, False, "")
            self._submit([started, mark])
            raise

    def take_order(self, order: NewSeeds, durable: Callable[[], None]) -> Outcome:
        """The outcome of an order that brings seeds while the crawl runs."""
        now, seeds = self._clock.now(), [Seed(*named) for named in self._links.parse_seeds(order)]
        refused, found, joined = self._admit(seeds, now)
        mark = SeedsTaken(now, ORDERED, len(seeds), True, joined)
        return Outcome(events=[mark, *refused], discoveries=found, on_durable=durable)

    async def load(self) -> None:
        """Loads the remaining seeds."""
        source = self._source
        if source is None or source.is_over:
            return
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hondius-seeds")
        try:
            await self._load(source, worker)
        except BaseException as error:
            if not is_internal(error):
                raise
            self._is_given_up = True
            self._boundary.report(f"no seed of {source.name} after the first {source.taken:,} could be read", error)
        finally:
            worker.shutdown(wait=False)

    async def _load(self, source: SeedSource, worker: ThreadPoolExecutor) -> None:
        loop, under_way = asyncio.get_running_loop(), deque[asyncio.Event]()
        while (following := await loop.run_in_executor(worker, source.wait)) is not None:
            await loop.run_in_executor(worker, self._links.read_ahead, [seed.url for seed in following.seeds])
            while len(under_way) >= (1 if following.is_last else MOST_UNDER_WAY):
                await under_way.popleft().wait()
            under_way.append(asyncio.Event())
            self._take(source, following, (), under_way[-1].set)
        for durable in under_way:
            await durable.wait()

    def _take(
        self, source: SeedSource, some: Slice, events: Sequence[AnyEvent], durable: Callable[[], None] | None = None
    ) -> None:
        before, now = source.taken, self._clock.now()
        marks = (
            SeedsTaken(now, source.name, before, False, ""),
            SeedsTaken(now, source.name, before + len(some.seeds), some.is_last, ""),
        )
        self._report_bugs(source)
        try:
            outcome = self._admit(some.seeds, now)
        except BaseException as error:
            if not is_internal(error):
                raise
            self._take_one_by_one(some.seeds, marks, events, durable)
        else:
            refused, found, joined = outcome
            mark = msgspec.structs.replace(marks[1], scope=joined)
            self._commit.submit(
                Outcome(
                    events=[*events, mark, *refused],
                    discoveries=found,
                    on_durable=durable,
                    on_unwritten=lambda error: self._retry_one_by_one(some.seeds, found, marks, events, durable),
                )
            )
        if source.peek() is some:
            source.take()
        self._commit.hurry()

    def _admit(self, seeds: Sequence[Seed], now: float) -> tuple[list[AnyEvent], list[Discoveries], str]:
        """Returns the refused seeds, the new ones, and what joined the scope."""
        found, joined = self._links.admit_seeds(((seed.url, seed.priority) for seed in seeds), now)
        with self._links.withdraw_on_failure(found):
            refused = self._outcomes.list_refusals(found)
        self.passed_over += len(refused) + sum(discoveries.outside for discoveries in found)
        return refused, found, joined

    def _retry_one_by_one(
        self,
        seeds: Sequence[Seed],
        found: Sequence[Discoveries],
        marks: Marks,
        events: Sequence[AnyEvent],
        durable: Callable[[], None] | None,
    ) -> None:
        self._links.withdraw(found)
        self._take_one_by_one(seeds, marks, events, durable)
        self._commit.hurry()

    def _take_one_by_one(
        self, seeds: Sequence[Seed], marks: Marks, events: Sequence[AnyEvent], durable: Callable[[], None] | None
    ) -> None:
        """Between two marks. The second is submitted when all seeds are durable: after a kill before that, the log
        shows that some are missing."""
        if events:
            self._commit.submit(Outcome(events=[*events, marks[0]], on_unwritten=_raise))
        last = Outcome(events=[marks[1]], on_durable=durable, on_unwritten=_raise)
        waiting = len(seeds) + 1

        def count_durable() -> None:
            nonlocal waiting
            waiting -= 1
            if waiting == 0:
                self._commit.submit(last)
                self._commit.hurry()

        count_durable()  # for the slice itself, which may be empty
        for seed in seeds:
            try:
                self._take_one(seed, count_durable)
            except BaseException as error:
                if not is_internal(error):
                    raise
                self._record_lost(seed, error, count_durable)

    def _take_one(self, seed: Seed, count_durable: Callable[[], None]) -> None:
        refused, found, _ = self._admit([seed], self._clock.now())
        with self._links.withdraw_on_failure(found):
            self._commit.submit(
                Outcome(
                    events=[ScopeExtended(seed.url.href), *refused],
                    discoveries=found,
                    on_durable=count_durable,
                    on_unwritten=lambda error: self._record_lost(seed, error, count_durable, found),
                )
            )

    def _record_lost(
        self, seed: Seed, error: BaseException, count_durable: Callable[[], None], found: Sequence[Discoveries] = ()
    ) -> None:
        """A seed that is known since an earlier command keeps its state."""
        self._links.withdraw(found)
        self._boundary.report(f"the seed {seed.url.href!r} could not be taken", error)
        if self._links.is_known(seed.url.key):
            count_durable()
        else:
            self._outcomes.finish_lost_seed(seed.url, self._boundary.describe_error(error), count_durable)

    def _report_bugs(self, source: SeedSource) -> None:
        while source.bugs:
            place, error = source.bugs.popleft()
            self._boundary.report(f"{place} could not be read", error)

    def _submit(self, events: Sequence[AnyEvent]) -> None:
        self._commit.submit(Outcome(events=events, on_unwritten=_raise))
        self._commit.hurry()


def _raise(error: BaseException) -> None:
    """Without these events the log would not record the run: it cannot continue."""
    raise error
