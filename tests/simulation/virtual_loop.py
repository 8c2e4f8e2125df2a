"""An event loop in virtual time: when nothing is ready, time jumps to the next timer.

Tasks, timers, time-outs and worker threads run on it unchanged. One callback is one *event*. The loop can stop before
any event, like a killed process: nothing continues, and no `finally` block runs.
"""

import asyncio
import heapq
from collections.abc import Callable
from random import Random
from typing import Any, TypeVar

Result = TypeVar("Result")

TICK = 2e-6
"""Seconds per callback. So no two events have the same time, and a busy loop moves the clock."""
DAWN = 1_700_000_000.0


class Killed(BaseException):
    """The process was killed."""


MOST_EVENTS = 1_000_000
"""In one life; a whole seed has some 50,000. But a request may take a quarter of an hour, and a task that waits for a
turn at its host polls fifty times a second: five of them make 450,000 events."""


class Stuck(Exception):
    """A task waits, but no event will ever happen."""


class VirtualTime:
    """True time, shared by all loops of a seed. It is a `Clock` that is never set."""

    def __init__(self) -> None:
        self.seconds = DAWN

    def now(self) -> float:
        return self.seconds

    def of_wall(self, at: float) -> float:
        return at

    async def sleep_until(self, when: float) -> None:
        await asyncio.sleep(max(0.0, when - self.seconds))


class VirtualLoop(asyncio.BaseEventLoop):
    """`step_takes` returns how long a step on a worker thread takes; its effect happens at some moment within."""

    def __init__(self, time: VirtualTime, chance: Random, step_takes: Callable[[Callable[..., object]], float]) -> None:
        super().__init__()
        self._virtual = time
        self._chance = chance
        self._step_takes = step_takes
        self._clock_resolution = TICK
        self.events = 0
        self.killed_at: int | None = None
        """The number of the event before which the process is killed."""
        self.faults: list[BaseException] = []
        """Exceptions that nobody caught."""
        self.set_exception_handler(lambda _, context: self._note(context))

    def time(self) -> float:
        return self._virtual.seconds

    def kill(self) -> None:
        """Stops everything after the current callback."""
        self.killed_at = self.events

    def bury(self) -> None:
        """Frees the objects of the dead process. The stores must be closed by then, because `finally` blocks run
        here."""
        for task in asyncio.all_tasks(self):
            _close(task.get_coro())
            task._log_destroy_pending = False  # type: ignore[attr-defined]
        self.close()

    def __del__(self) -> None:
        """A life that ends with a finding leaves its loop to the garbage collector."""
        if not self.is_closed():
            self.close()

    def run_in_executor(self, executor: Any, func: Callable[..., Result], *args: Any) -> "asyncio.Future[Result]":  # type: ignore[override]
        future: asyncio.Future[Result] = self.create_future()
        takes = self._step_takes(func)
        effect_after = takes * self._chance.random()
        self.call_later(effect_after, self._step, future, takes - effect_after, func, args)
        return future

    def _step(
        self, future: "asyncio.Future[Any]", rest: float, func: Callable[..., Any], args: tuple[Any, ...]
    ) -> None:
        """Runs as on another thread: no loop is running there."""
        asyncio._set_running_loop(None)
        try:
            result = func(*args)
        except Exception as error:
            self.call_later(rest, self._settle, future, future.set_exception, error)
        else:
            self.call_later(rest, self._settle, future, future.set_result, result)
        finally:
            asyncio._set_running_loop(self)

    def _settle(self, future: "asyncio.Future[Any]", settle: Callable[[Any], None], value: Any) -> None:
        if not future.done():
            settle(value)

    def _note(self, context: dict[str, Any]) -> None:
        if (error := context.get("exception")) is not None and not isinstance(error, Killed):
            self.faults.append(error)

    def find_next_time(self) -> float:
        """When the next event of this loop is due; infinity if there is none."""
        timers = self._scheduled  # type: ignore[attr-defined]
        while timers and timers[0]._cancelled:
            self._timer_cancelled_count -= 1  # type: ignore[attr-defined]
            heapq.heappop(timers)._scheduled = False
        if self._ready:  # type: ignore[attr-defined]
            return 0.0
        return timers[0]._when if timers else float("inf")

    def step(self) -> None:
        """Runs one event, for a caller that runs several loops."""
        self._run_once()

    def _run_once(self) -> None:
        if self.killed_at is not None and self.events >= self.killed_at:
            raise Killed
        self._promote()
        handle = self._ready.popleft()  # type: ignore[attr-defined]
        if handle._cancelled:
            return
        self.events += 1
        if self.events > MOST_EVENTS:
            raise Stuck("there is no end of it: somebody waits for what never comes")
        self._virtual.seconds += TICK
        handle._run()

    def _promote(self) -> None:
        """Makes due timers ready. If nothing is ready, time jumps to the next timer."""
        ready, timers = self._ready, self._scheduled  # type: ignore[attr-defined]
        while timers and (timers[0]._cancelled or timers[0]._when <= self._virtual.seconds or not ready):
            timer = heapq.heappop(timers)
            timer._scheduled = False
            if timer._cancelled:
                self._timer_cancelled_count -= 1  # type: ignore[attr-defined]
                continue
            self._virtual.seconds = max(self._virtual.seconds, timer._when)
            ready.append(timer)
        if not ready:
            raise Stuck("nothing is due and somebody waits")

    def _write_to_self(self) -> None:
        """There is no other thread that could wake the loop."""

    def _asyncgen_finalizer_hook(self, agen: Any) -> None:
        """Generators of a killed process are not finalised."""


def _close(coroutine: Any) -> None:
    """Closes a coroutine, even if it awaits something while closing."""
    for _ in range(20):
        try:
            coroutine.close()
        except BaseException:
            continue
        return
