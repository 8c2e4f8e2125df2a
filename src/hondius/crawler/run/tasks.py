"""Tasks of one kind, each in its slot."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from hondius.crawler.politeness import Host
from hondius.crawler.run.state import RunState
from hondius.crawler.slots import Slots


class Tasks:
    def __init__(self, slots: Slots, state: RunState) -> None:
        self.slots = slots
        self._state = state

    def start(self, work: Coroutine[Any, Any, None], now: float, host: Host) -> None:
        task = asyncio.create_task(work)
        self.slots.occupy(task, now, slow=host.is_slow, newcomer=not host.has_answered)
        task.add_done_callback(self._note_end)

    def _note_end(self, task: asyncio.Task[None]) -> None:
        self.slots.release(task)
        self._state.wake()
        if not task.cancelled() and (error := task.exception()) is not None:
            self._state.fail(error)
