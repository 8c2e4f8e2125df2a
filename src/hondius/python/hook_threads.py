"""Threads for hooks. A hook that takes too long is abandoned with its thread, and the crawl goes on."""

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue

Ended = asyncio.Future[BaseException | None]
"""What a call raised, when it has ended."""


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
        """Returns whether the work ended in time. Work that raises has a bug: this raises RuntimeError then.

        If the caller is cancelled, the work goes on, and its result is ignored."""
        await self._places.acquire()
        worker = self._idle.pop() if self._idle else Worker()
        ended: Ended = asyncio.get_running_loop().create_future()
        ended.add_done_callback(lambda _: self._release(worker))
        worker.begin(work, ended)
        await asyncio.wait({ended}, timeout=seconds)
        if ended.done():
            if (error := ended.result()) is not None:
                raise RuntimeError(f"the call of a hook failed ({type(error).__name__})") from error
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
        self._work: SimpleQueue[tuple[Callable[[], None], Ended] | None] = SimpleQueue()
        threading.Thread(target=self._serve, name="hondius-hook", daemon=True).start()

    def begin(self, work: Callable[[], None], ended: Ended) -> None:
        self._work.put((work, ended))

    def end(self) -> None:
        self._work.put(None)

    def _serve(self) -> None:
        while (given := self._work.get()) is not None:
            work, ended = given
            error = _call(work)
            try:
                ended.get_loop().call_soon_threadsafe(_set_done, ended, error)
            except RuntimeError:  # the event loop is closed
                return
            del given, work, ended, error


def _call(work: Callable[[], None]) -> BaseException | None:
    """Returns what it raised: an exception must not end the thread, or its caller would wait for the time limit."""
    try:
        work()
    except BaseException as error:
        return error
    return None


def _set_done(ended: Ended, error: BaseException | None) -> None:
    if not ended.done():
        ended.set_result(error)
