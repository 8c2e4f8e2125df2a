"""Threads that follow the log while a crawl runs.

The crawl never waits for them, and memory stays flat however far they are behind.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from hondius.errors import HondiusError

Work = Callable[[], None]


class Followers:
    """The threads of one run, one for each work."""

    def __init__(
        self, what: str, command: str, works: Sequence[Work], stopped: threading.Event, say: Callable[[str], None]
    ) -> None:
        """`stopped` asks them to stop. `what` they work on, and the command that continues it: for messages."""
        self._what = what
        self._command = command
        self._works = works
        self._stopped = stopped
        self._say = say
        self._threads = ThreadPoolExecutor(len(works), f"hondius-{command}") if works else None
        self._tasks: list[asyncio.Future[None]] = []

    def begin(self) -> None:
        """The stores of the crawl must be open."""
        if self._threads is not None:
            loop = asyncio.get_running_loop()
            self._tasks = [loop.run_in_executor(self._threads, self._run, work) for work in self._works]

    async def finish(self) -> None:
        """Returns when all have ended."""
        await asyncio.gather(*self._tasks)
        if self._threads is not None:
            self._threads.shutdown()

    def stop(self) -> None:
        """From any thread."""
        self._stopped.set()

    def _run(self, work: Work) -> None:
        """An error ends this thread alone: the crawl is worth more."""
        try:
            work()
        except HondiusError as error:
            self._say(f"warning: {error}")
        except Exception:
            logging.getLogger("hondius.followers").exception("%s was not completed", self._what)
            command = f"`hondius {self._command}`"
            self._say(f"warning: {self._what} was not completed (see crawl.log): {command} continues it")
