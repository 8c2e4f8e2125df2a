"""Measures how long callbacks block the event loop: the CPU time of each, and the delay of a beat every 10 ms."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

BEAT = 0.010
LATE = 0.100


class LoopWatch:
    """Watches every event loop that runs while it is installed. Adds a microsecond to each callback."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Discards all measurements."""
        self.longest = 0.0
        """Seconds of CPU in one callback."""
        self.longest_callback = ""
        self.beats = 0
        self.late_beats = 0
        """Beats delayed by more than `LATE`."""
        self.latest = 0.0
        """Largest delay of a beat, in seconds."""

    @contextmanager
    def install(self) -> Iterator[None]:
        run, run_forever = asyncio.Handle._run, asyncio.BaseEventLoop.run_forever
        asyncio.Handle._run = self._time_callbacks(run)  # type: ignore[assignment,method-assign]
        asyncio.BaseEventLoop.run_forever = self._start_beats(run_forever)  # type: ignore[assignment,method-assign]
        try:
            yield
        finally:
            asyncio.Handle._run = run  # type: ignore[method-assign]
            asyncio.BaseEventLoop.run_forever = run_forever  # type: ignore[method-assign]

    def _time_callbacks(self, run: Callable[[asyncio.Handle], None]) -> Callable[[asyncio.Handle], None]:
        def timed(handle: asyncio.Handle) -> None:
            before = time.thread_time()
            run(handle)
            spent = time.thread_time() - before
            if spent > self.longest:
                self.longest, self.longest_callback = spent, repr(handle)[:300]

        return timed

    def _start_beats(
        self, run_forever: Callable[[asyncio.BaseEventLoop], None]
    ) -> Callable[[asyncio.BaseEventLoop], None]:
        def beating(loop: asyncio.BaseEventLoop) -> None:
            loop.call_soon(self._beat, loop, loop.time())
            run_forever(loop)

        return beating

    def _beat(self, loop: asyncio.BaseEventLoop, due: float) -> None:
        late = loop.time() - due
        self.beats += 1
        self.late_beats += late > LATE
        self.latest = max(self.latest, late)
        due = loop.time() + BEAT
        loop.call_at(due, self._beat, loop, due)
