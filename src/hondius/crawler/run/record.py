"""The start and the end of a run in the log."""

import msgspec

from hondius.clock import Clock
from hondius.crawler.commit import Commit, Outcome
from hondius.crawler.internal_failures import requeue_internal_failures
from hondius.crawler.page import Links
from hondius.crawler.politeness import Ask
from hondius.crawler.run.state import RunState
from hondius.crawler.seed_loading import SeedLoading
from hondius.model import RunEnded, RunStarted
from hondius.native import NativeError
from hondius.ports import Attempts, PartitionView
from hondius.settings import PolitenessSettings


class RunRecord:
    def __init__(
        self,
        *,
        seeds: SeedLoading,
        links: Links,
        commit: Commit,
        attempts: Attempts,
        rules: PolitenessSettings,
        clock: Clock,
        state: RunState,
        ask: Ask,
    ) -> None:
        """`ask` reads the view on a thread that may wait."""
        self.seeds = seeds
        self._links = links
        self._commit = commit
        self._attempts = attempts
        self._rules = rules
        self._clock = clock
        self._state = state
        self._ask = ask

    def begin(self, version: str, agent: str) -> None:
        """Records the start of the run and its first seeds, in one frame."""
        rules = msgspec.to_builtins(self._rules)
        try:
            self.seeds.begin(RunStarted(self._clock.now(), version, agent, rules, self._attempts.number))
        except NativeError as error:
            self._state.fail(error)

    async def requeue_internal_failures(self, view: PartitionView, version: str) -> None:
        """Queues URLs again that a bug of another version ended."""
        try:
            await requeue_internal_failures(view, self._links, self._commit, version, self._clock.now(), self._ask)
        except NativeError as error:
            self._state.fail(error)

    async def load_seeds(self) -> None:
        """Loads the other seeds. `Run.run_until_over` raises their errors."""
        try:
            await self.seeds.load()
        except Exception as error:
            self._state.fail(error)
        self._state.wake()

    def end(self, reason: str) -> None:
        self._commit.submit(Outcome(events=[RunEnded(self._clock.now(), reason)]))
