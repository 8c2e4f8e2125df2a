"""Time, as the crawl sees it: real here, virtual in the simulation."""

import asyncio
import time
from typing import Protocol

from hondius.native import now as process_time

LONGEST_SLEEP = 1.0
"""Seconds. Timers of the event loop stop while the machine is suspended; this clock does not."""
AGREES_WITHIN = 1.0
"""Seconds. If the wall clock differs by less from this clock, it was not set."""


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since the epoch, for records and comparisons. It never jumps while the process runs, even if the wall
        clock is set, and it continues while the machine is suspended."""

    def of_wall(self, at: float) -> float:
        """Converts a time that another process has just read from the wall clock."""

    async def sleep_until(self, when: float) -> None: ...


class SystemClock:
    """The wall clock at the start of the process, plus the time since. The engine uses the same clock."""

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
