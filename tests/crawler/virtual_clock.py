"""Time for tests: it moves only when somebody waits."""

import asyncio


class VirtualClock:
    def __init__(self, now: float = 1_000_000.0) -> None:
        self.time = now

    def now(self) -> float:
        return self.time

    def of_wall(self, at: float) -> float:
        return at

    async def sleep_until(self, when: float) -> None:
        self.time = max(self.time, when)
        await asyncio.sleep(0)
