"""Reads the partition's view on one worker thread: the event loop never waits for SQLite.

Reads that are requested within one turn of the loop, or while others run, go to the thread together. A hop costs eight
times as much as a read (decision 0020), so it is shared.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

Result = TypeVar("Result")
Question = Callable[[], Any]
Settled = tuple[Any, BaseException | None]
"""The result of a read, or its exception."""
Waiting = tuple[Question, "asyncio.Future[Any]"]

MOST_AT_ONCE = 256
"""Reads in one hop. The first of them waits for the last."""


class ViewReads:
    def __init__(self) -> None:
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hondius-view")
        self._waiting: list[Waiting] = []
        self._is_reading = False
        self.is_closed = False

    def ask(self, question: Callable[[], Result]) -> "asyncio.Future[Result]":
        """`question` runs on the worker thread. Its exception is raised where the result is awaited. If nobody awaits
        it any more, the result is dropped."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        self._waiting.append((question, future))
        if not self._is_reading:
            self._is_reading = True
            loop.call_soon(self._read)
        return future

    def ask_then(self, question: Callable[[], Result], learn: Callable[[Result | None], None]) -> None:
        """For callers that do not wait: `learn` gets the result on the event loop, or None after an exception. A broken
        view is reported by the next reader that waits."""

        def pass_result_on(future: "asyncio.Future[Result]") -> None:
            if not future.cancelled():
                learn(future.result() if future.exception() is None else None)

        self.ask(question).add_done_callback(pass_result_on)

    def close(self) -> None:
        """Returns when the thread has stopped reading, so that the view may be closed. Waits for one hop at most. Does
        not need the event loop, which may be gone when a crawl is abandoned."""
        self.is_closed = True
        self._worker.shutdown(cancel_futures=True)

    def _read(self) -> None:
        if self.is_closed:
            for _, future in self._waiting:
                future.cancel()
            return
        batch, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
        questions = [question for question, _ in batch]
        hop = asyncio.get_running_loop().run_in_executor(self._worker, _settle_all, questions)
        hop.add_done_callback(partial(self._settle_batch, batch))

    def _settle_batch(self, batch: list[Waiting], hop: "asyncio.Future[list[Settled]]") -> None:
        if hop.cancelled():
            for _, future in batch:
                future.cancel()
            return
        for (_, future), (result, error) in zip(batch, hop.result(), strict=True):
            if future.done():
                continue  # it was cancelled
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)
        if self._waiting:
            self._read()
        else:
            self._is_reading = False


def _settle_all(questions: list[Question]) -> list[Settled]:
    """Runs on the worker thread. A read that fails does not affect the others."""
    return [_settle(question) for question in questions]


def _settle(question: Question) -> Settled:
    try:
        return question(), None
    except Exception as error:
        return None, error
