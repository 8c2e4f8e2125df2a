"""Clocks that can be wrong. Servers and judges live by true time; the machine's wall clock may be set at any moment."""

import asyncio
from random import Random

from tests.simulation.virtual_loop import VirtualTime

DAY = 86_400.0
OFTEN = 0.15
"""The chance that the clock is set within a life, and between two lives."""


class WallClock:
    """`set_by` is by how many seconds it is ahead of true time."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self.set_by = 0.0

    def now(self) -> float:
        return self._time.now() + self.set_by

    def maybe_set(self, chance: Random) -> bool:
        """Sets it forward or back by up to days, or corrects it."""
        if chance.random() >= OFTEN:
            return False
        by = chance.choice((-1.0, 1.0)) * 10 ** chance.uniform(0.0, 5.6)
        self.set_by = chance.choice((0.0, by, by))
        return True


class ProcessClock:
    """The `Clock` of one process: the wall clock at its start, plus the time since."""

    def __init__(self, time: VirtualTime, wall: WallClock) -> None:
        self._time = time
        self._wall = wall
        self.set_by = wall.set_by

    def now(self) -> float:
        return self._time.now() + self.set_by

    def of_wall(self, at: float) -> float:
        return at + (self.set_by - self._wall.set_by)

    async def sleep_until(self, when: float) -> None:
        await asyncio.sleep(max(0.0, when - self.now()))
