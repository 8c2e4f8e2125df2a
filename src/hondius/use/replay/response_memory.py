"""Limits the memory of responses, however slowly clients read them."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hondius.use.replay.responses import Response


class ResponseMemory:
    """The bodies of responses that are made and not yet sent."""

    def __init__(self, most_bytes: int, patience: float) -> None:
        """`patience`: seconds that a client may take to read a piece while the memory is full."""
        self._most_bytes = most_bytes
        self._patience = patience
        self.held = 0
        """Bytes."""
        self._freed = asyncio.Event()
        self._progress: dict[asyncio.StreamWriter, float] = {}
        """When each client that is sent a response last read a piece of it, by the clock of the event loop."""

    def hold(self, response: Response) -> None:
        self.held += len(response.body)

    def release(self, response: Response) -> None:
        self.held -= len(response.body)
        self._freed.set()

    async def wait_for_room(self) -> None:
        """While it waits, clients that read nothing are disconnected."""
        while self.held >= self._most_bytes:
            self._freed.clear()
            try:
                await asyncio.wait_for(self._freed.wait(), self._patience)
            except TimeoutError:
                self._disconnect_stalled()

    @contextmanager
    def watch(self, writer: asyncio.StreamWriter) -> Iterator[Callable[[], None]]:
        """Yields a function to call after each piece that the client has read."""
        clock = asyncio.get_running_loop().time

        def note_progress() -> None:
            self._progress[writer] = clock()

        note_progress()
        try:
            yield note_progress
        finally:
            del self._progress[writer]

    def _disconnect_stalled(self) -> None:
        latest = asyncio.get_running_loop().time() - self._patience
        for writer, at in self._progress.items():
            if at <= latest:
                writer.transport.abort()
