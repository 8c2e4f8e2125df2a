"""Brings the seeds of a command into the log while the crawl runs: a slice a frame, with a mark behind the last.

A slice is read on a thread of its own and left to the commit, while those before it are made durable. So there are a
few slices in memory at most, and pages are fetched meanwhile. Killed between two frames, the log lacks the mark; the
same command again reads all seeds anew and finds those known that the log has.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from hondius.clock import Clock
from hondius.crawler.commit import Commit, Outcome
from hondius.crawler.endings import Endings
from hondius.crawler.page import Links
from hondius.crawler.seeds import SeedSource, Slice
from hondius.model import AnyEvent, SeedsTaken
from hondius.native import NativeError

MOST_UNDER_WAY = 3
"""Slices that are left to the commit and not durable yet. One for each frame would be slow: a frame takes its time,
however little is in it."""


class SeedLoading:
    def __init__(
        self, *, source: SeedSource | None, links: Links, endings: Endings, commit: Commit, clock: Clock
    ) -> None:
        self._source = source
        self._links = links
        self._endings = endings
        self._commit = commit
        self._clock = clock
        self.passed_over = 0
        """Seeds that the settings exclude or refuse."""

    @property
    def is_over(self) -> bool:
        return self._source is None or self._source.is_over

    @property
    def taken(self) -> int:
        return 0 if self._source is None else self._source.taken

    def begin(self, started: AnyEvent) -> None:
        """Writes down that a run started and, in the same frame, that there are seeds and those that are at hand. They
        stay at hand where a view is broken."""
        source = self._source
        if source is None:
            return self._leave([started])
        try:
            return self._take(source, source.at_hand() or Slice((), is_last=False), [started])
        except NativeError:
            mark = SeedsTaken(self._clock.now(), source.name, source.taken, False, "")
            self._leave([started, mark])
            raise

    async def load(self) -> None:
        """The rest of them, to the last."""
        source = self._source
        if source is None or source.is_over:
            return
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hondius-seeds")
        try:
            loop, under_way = asyncio.get_running_loop(), deque[asyncio.Event]()
            while (following := await loop.run_in_executor(worker, source.wait)) is not None:
                under_way.append(asyncio.Event())
                self._take(source, following, (), under_way[-1].set)
                if len(under_way) >= MOST_UNDER_WAY:
                    await under_way.popleft().wait()
            for durable in under_way:
                await durable.wait()
        finally:
            worker.shutdown(wait=False)

    def _take(
        self, source: SeedSource, some: Slice, events: Sequence[AnyEvent], durable: Callable[[], None] | None = None
    ) -> None:
        now = self._clock.now()
        found, joined = self._links.of_seeds(((seed.url, seed.priority) for seed in some.seeds), now)
        refused = self._endings.refusals(found)
        self.passed_over += len(refused) + sum(discoveries.outside for discoveries in found)
        mark = SeedsTaken(now, source.name, source.taken + len(some.seeds), some.is_last, joined)
        if source.at_hand() is some:
            source.take()
        self._commit.leave(Outcome(events=[*events, mark, *refused], discoveries=found, durable=durable))
        self._commit.hurry()

    def _leave(self, events: Sequence[AnyEvent]) -> None:
        self._commit.leave(Outcome(events=events))
        self._commit.hurry()
