"""Waits for what is under way when the run ends, and calls off what takes too long."""

import asyncio
from collections.abc import Iterable

from hondius.clock import Clock
from hondius.crawler.commit import Commit
from hondius.crawler.politeness import AddressTurns
from hondius.crawler.run.background import Background
from hondius.crawler.run.state import RunState
from hondius.crawler.slots import Slots
from hondius.model import REOPENED

DRAIN = 10.0
"""Seconds that requests under way may take when the run ends by itself. Then they are called off, and their URLs stay
queued."""
DRAIN_INTERRUPTED = 2.0
"""The same, counted from the moment of the interruption."""
DRAIN_PREPARATIONS = 2.0
"""The same for hosts that are being prepared."""
DRAIN_LOOK = 0.1
"""Seconds between two checks of what is still under way."""
DRAIN_CANCELLED = 5.0
"""Seconds for the engine to confirm that what was called off is over. It does so at once."""


class Drain:
    def __init__(
        self,
        *,
        journeys: Slots,
        preparations: Slots,
        background: Background,
        turns: AddressTurns,
        commit: Commit,
        state: RunState,
        clock: Clock,
    ) -> None:
        self._journeys = journeys
        self._preparations = preparations
        self._background = background
        self._turns = turns
        self._commit = commit
        self._state = state
        self._clock = clock

    @property
    def under_way(self) -> int:
        """What an interrupted run waits for: requests and look-ups that have begun."""
        return len(self._journeys) + max(0, len(self._preparations) - self._turns.claims)

    async def drain(self) -> None:
        """Waits for requests under way, also for robots.txt: the next run would have to repeat a request whose answer
        is not received. Calls off what takes too long."""
        began = asyncio.get_running_loop().time()
        self._turns.is_over = True
        while self._journeys or self._preparations:
            left = self._ends_at(began) - asyncio.get_running_loop().time()
            if left <= 0:
                break
            if self._preparations and self._are_preparations_over(began):
                _cancel(self._preparations)
            await asyncio.wait([*self._journeys, *self._preparations], timeout=min(left, DRAIN_LOOK))
        await self.call_off()

    async def call_off(self) -> None:
        """Cancels everything under way and waits until it is over: nothing may use the stores after they are closed."""
        rest = [*self._journeys, *self._preparations, *self._background.list_tasks()]
        _cancel(rest)
        if rest:
            await asyncio.wait(rest, timeout=DRAIN_CANCELLED)

    async def wait_until_kept(self) -> None:
        """Stores are reopened only when the log has everything that was under way. A full disk delays that."""
        while self._state.stopping == REOPENED and not self._commit.is_idle and self._state.failure is None:
            self._commit.hurry()
            await self._clock.sleep_until(self._clock.now() + 0.1)

    def _ends_at(self, began: float) -> float:
        """When to stop waiting, by the clock of the event loop. At once if the run is interrupted while the disk is
        full: there is no room for the answers."""
        interrupted_at = self._state.interrupted_at
        if interrupted_at is None:
            return began + DRAIN
        return began if self._commit.paused else min(began + DRAIN, interrupted_at + DRAIN_INTERRUPTED)

    def _are_preparations_over(self, began: float) -> bool:
        """Preparations get little time, and those that only wait for a turn get none."""
        is_late = asyncio.get_running_loop().time() >= began + DRAIN_PREPARATIONS
        return is_late or len(self._preparations) <= self._turns.claims


def _cancel(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Once each: a task that is cancelled twice would not wait for the engine to confirm that its request is over."""
    for task in tasks:
        if not task.cancelling():
            task.cancel()
