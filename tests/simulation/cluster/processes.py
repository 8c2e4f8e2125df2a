"""Runs several processes: each has its own loop, and all share one time."""

import asyncio

from tests.simulation.virtual_loop import VirtualLoop, VirtualTime


class Processes:
    """Steps the loop with the earliest event. A frozen loop has none until it wakes."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self._loops: list[VirtualLoop] = []
        self._frozen: dict[VirtualLoop, float] = {}

    def add(self, loop: VirtualLoop) -> None:
        self._loops.append(loop)

    def remove(self, loop: VirtualLoop) -> None:
        self._loops.remove(loop)
        self._frozen.pop(loop, None)

    def freeze(self, loop: VirtualLoop, until: float) -> None:
        self._frozen[loop] = until

    def step(self) -> None:
        when, loop = min(((self._next(loop), loop) for loop in self._loops), key=lambda pair: pair[0])
        self._time.seconds = max(self._time.seconds, when)
        if self._frozen.get(loop, 0.0) <= self._time.seconds:
            self._frozen.pop(loop, None)
        asyncio._set_running_loop(loop)
        try:
            loop.step()
        finally:
            asyncio._set_running_loop(None)

    def _next(self, loop: VirtualLoop) -> float:
        return max(loop.find_next_time(), self._frozen.get(loop, 0.0))
