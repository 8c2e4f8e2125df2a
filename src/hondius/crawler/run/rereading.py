"""Rereads pages from the archive while the run goes on, one batch at a time."""

import asyncio

from hondius.crawler.commit import Commit
from hondius.crawler.rereading import Rereading
from hondius.crawler.run.state import RunState


class BackgroundRereading:
    def __init__(self, rereading: Rereading, commit: Commit, state: RunState) -> None:
        self._rereading = rereading
        self._commit = commit
        self._state = state
        self.task: asyncio.Task[None] | None = None
        """The batch that is under way."""

    @property
    def may_bring_more(self) -> bool:
        return self.task is not None or self._rereading.listed.is_undecided

    def start_due(self) -> None:
        """Starts the next batch: pages that were found closer, or that led out of a scope that has grown."""
        if self.task is not None or self._state.stopping or not self._commit.accepts():
            return
        listed = self._rereading.listed
        if (pages := listed.list_found_closer()) or listed.may_have_left_out:
            self.task = asyncio.create_task(self._rereading.reread(pages))
            self.task.add_done_callback(self._note_end)

    def _note_end(self, task: asyncio.Task[None]) -> None:
        self.task = None
        self._state.wake()
        if not task.cancelled() and (error := task.exception()) is not None:
            self._state.fail(error)
