"""Threads for hooks. A hook that takes too long is abandoned with its thread, and the crawl goes on."""

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any


class HookThreads:
    """At most `most` threads at a time, besides abandoned ones. They are daemons: one that hangs does not keep the
    process from ending. Used on one event loop."""

    def __init__(self, most: int) -> None:
        self.abandoned = 0
        """Threads that were abandoned and have not ended."""
        self._idle: list[Worker] = []
        self._places = asyncio.Semaphore(most)
        self._is_closed = False

    async def run(self, work: Callable[[], None], seconds: float) -> bool:
        """The work must not raise. Returns whether it ended in time. If the caller is cancelled, the work goes on, and
        its result is ignored."""
        await self._places.acquire()
        worker = self._idle.pop() if self._idle else Worker()
        ended = asyncio.get_running_loop().create_future()
        ended.add_done_callback(lambda _: self._release(worker))
        worker.begin(work, ended)
        await asyncio.wait({ended}, timeout=seconds)
        if ended.done():
            return True
        self.abandoned += 1
        worker.is_abandoned = True
        self._places.release()
        return False

    def close(self) -> None:
        """Idle threads end at once, others when their work ends."""
        self._is_closed = True
        for worker in self._idle:
            worker.end()
        self._idle.clear()

    def _release(self, worker: "Worker") -> None:
        if worker.is_abandoned:
            self.abandoned -= 1
            worker.end()
        elif self._is_closed:
            worker.end()
        else:
            self._idle.append(worker)
            self._places.release()


class Worker:
    def __init__(self) -> None:
        self.is_abandoned = False
        self._work: SimpleQueue[tuple[Callable[[], None], asyncio.Future[None]] | None] = SimpleQueue()
        threading.Thread(target=self._serve, name="hondius-hook", daemon=True).start()

    def begin(self, work: Callable[[], None], ended: "asyncio.Future[None]") -> None:
        self._work.put((work, ended))

    def end(self) -> None:
        self._work.put(None)

    def _serve(self) -> None:
        while (given := self._work.get()) is not None:
            work, ended = given
            work()
            try:
                ended.get_loop().call_soon_threadsafe(_set_done, ended)
            except RuntimeError:  # the event loop is closed
                return
            del given, work, ended


def _set_done(ended: "asyncio.Future[Any]") -> None:
    if not ended.done():
        ended.set_result(None)
