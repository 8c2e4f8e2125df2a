"""Queues due pages again while the run goes on, a thousand at a time."""

import asyncio

from hondius.crawler.commit import Commit
from hondius.crawler.due_pages import DuePages
from hondius.crawler.recrawl import Plan
from hondius.crawler.run.state import RunState


class BackgroundReturning:
    def __init__(self, due: DuePages, commit: Commit, state: RunState) -> None:
        self._due = due
        self._commit = commit
        self._state = state
        self.task: asyncio.Task[None] | None = None
        """The batch that is under way."""

    @property
    def may_bring_more(self) -> bool:
        return self.task is not None or self._due.may_bring_more

    @property
    def plan(self) -> Plan | None:
        return self._due.plan

    def start_due(self) -> None:
        if self.task is not None or self._state.stopping or not self._due.is_due() or not self._commit.accepts():
            return
        self.task = asyncio.create_task(self._due.queue_some())
        self.task.add_done_callback(self._note_end)

    def _note_end(self, task: asyncio.Task[None]) -> None:
        self.task = None
        self._state.wake()
        if not task.cancelled() and (error := task.exception()) is not None:
            self._state.fail(error)
