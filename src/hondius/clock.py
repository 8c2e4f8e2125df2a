"""Time, as the crawl sees it. Real here; virtual in the simulation."""

import asyncio
import time
from typing import Protocol

from hondius.native import now as process_time

LONGEST_SLEEP = 1.0
"""Seconds: timers of the event loop stand still while the machine is suspended, this clock does not."""
AGREES_WITHIN = 1.0
"""Seconds by which the wall clock may differ from this clock and still count as not set."""


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since the epoch: what is written down and compared. It never jumps while the process lives, whatever
        happens to the wall clock; it counts while the machine is suspended."""

    def of_wall(self, at: float) -> float:
        """The time by this clock of what another process has just read from the wall clock."""

    async def sleep_until(self, when: float) -> None: ...


class SystemClock:
    """The wall clock as it was when the process began, plus what has passed since. The engine uses the same clock."""

    def now(self) -> float:
        return process_time()

    def of_wall(self, at: float) -> float:
        was_set_by = process_time() - time.time()
        return at if abs(was_set_by) < AGREES_WITHIN else at + was_set_by

    async def sleep_until(self, when: float) -> None:
        left = when - process_time()
        while left > LONGEST_SLEEP:
            await asyncio.sleep(LONGEST_SLEEP)
            left = when - process_time()
        await asyncio.sleep(max(0.0, left))
