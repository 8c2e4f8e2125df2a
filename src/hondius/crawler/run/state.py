"""Whether the run goes on: requests to stop, failures, and wake-ups."""

import asyncio
from collections.abc import Callable

from hondius.crawler.commit import find_broken_view
from hondius.errors import BrokenView
from hondius.model import REOPENED

INTERRUPTED = "interrupted"


class RunState:
    def __init__(self, give_up: Callable[[BrokenView], None]) -> None:
        """`give_up`: stops using a view that is broken."""
        self._give_up = give_up
        self._woken = asyncio.Event()
        self.stopping = ""
        """Why no new URL is handed out; empty while the run goes on."""
        self.interrupted_at: float | None = None
        """By the clock of the event loop."""
        self.failure: BaseException | None = None
        """The exception that ends the run."""

    @property
    def is_woken(self) -> bool:
        return self._woken.is_set()

    def wake(self) -> None:
        self._woken.set()

    def begin_round(self) -> None:
        """Any event from now on wakes the run again."""
        self._woken.clear()

    async def sleep(self, seconds: float) -> None:
        """Until something happens, but no longer than that."""
        handle = asyncio.get_running_loop().call_later(seconds, self._woken.set)
        await self._woken.wait()
        handle.cancel()

    def stop(self, reason: str) -> None:
        """Hands out no new URL. What is under way may end by itself, within a shorter time if the run is
        interrupted."""
        if reason == INTERRUPTED and self.interrupted_at is None:
            self.interrupted_at = asyncio.get_running_loop().time()
        self.stopping = reason if self.stopping in ("", REOPENED) else self.stopping
        self._woken.set()

    def fail(self, error: BaseException) -> None:
        """Ends the run with an exception, unless a view is damaged. A damaged view stops the run, not the crawl:
        everything that was submitted is in the log, and everything else is queued in the rebuilt view."""
        broken = find_broken_view(error)
        if broken is None:
            self.failure = self.failure or error
        else:
            self._give_up(broken)

    def note_commit_end(self, task: asyncio.Task[None]) -> None:
        """Nothing can be written any more: the run ends with the error of the commit."""
        if not task.cancelled() and task.exception() is not None:
            self.failure = self.failure or task.exception()
        self._woken.set()
