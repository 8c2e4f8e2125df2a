"""Computes page ranks while the run goes on, one computation at a time."""

import asyncio

from hondius.crawler.ranking import Ranking
from hondius.crawler.run.state import RunState


class BackgroundRanking:
    def __init__(self, ranking: Ranking, state: RunState) -> None:
        self._ranking = ranking
        self._state = state
        self.task: asyncio.Task[None] | None = None
        """The computation that is under way. The run does not wait for it."""

    def start_due(self) -> None:
        if self.task is None and not self._state.stopping and self._ranking.is_due:
            self.task = asyncio.create_task(self._ranking.update())
            self.task.add_done_callback(self._note_end)

    def _note_end(self, task: asyncio.Task[None]) -> None:
        self.task = None
        if not task.cancelled() and (error := task.exception()) is not None:
            self._state.fail(error)
            self._state.wake()
