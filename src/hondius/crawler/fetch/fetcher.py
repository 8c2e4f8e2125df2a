"""The asyncio side of the engine."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

from hondius.native import Fetched, Resolved

Submission = tuple[int, bytes, str, str, str, Sequence[tuple[str, bytes]]]


class AnyEngine(Protocol):
    def submit(self, requests: Sequence[Submission]) -> None: ...
    def resolve(self, requests: Sequence[tuple[int, str]]) -> None: ...
    def collect(self) -> list[Fetched | Resolved]: ...
    def close(self) -> None: ...


class Fetcher:
    """Requests made within one turn of the loop go to the engine as one batch."""

    def __init__(self, make_engine: Callable[[Callable[[], object]], AnyEngine]) -> None:
        self._loop = asyncio.get_running_loop()
        self._engine = make_engine(self._notify)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._requests: list[Submission] = []
        self._names: list[tuple[int, str]] = []
        self._next_ticket = 1
        self._flush_planned = False
        self._closed = False

    async def fetch(
        self, key: bytes, href: str, address: str, kind: str = "page", headers: Sequence[tuple[str, bytes]] = ()
    ) -> Fetched:
        ticket, future = self._ticket()
        self._requests.append((ticket, key, href, address, kind, headers))
        self._plan_flush()
        return cast("Fetched", await future)

    async def resolve(self, host: str) -> Resolved:
        ticket, future = self._ticket()
        self._names.append((ticket, host))
        self._plan_flush()
        return cast("Resolved", await future)

    async def close(self) -> None:
        """Whoever still waits is cancelled; the threads end."""
        if self._closed:
            return
        self._closed = True
        for future in self._waiting.values():
            future.cancel()
        await asyncio.to_thread(self._engine.close)

    def _ticket(self) -> tuple[int, asyncio.Future[Any]]:
        ticket = self._next_ticket
        self._next_ticket += 1
        future: asyncio.Future[Any] = self._loop.create_future()
        self._waiting[ticket] = future
        return ticket, future

    def _plan_flush(self) -> None:
        if not self._flush_planned:
            self._flush_planned = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flush_planned = False
        if self._closed:
            return
        requests, self._requests = self._requests, []
        names, self._names = self._names, []
        if names:
            self._hand_over(self._engine.resolve, names)
        if requests:
            self._hand_over(self._engine.submit, requests)

    def _hand_over(self, send: Callable[[list[Any]], None], batch: list[Any]) -> None:
        """A batch is refused as a whole, before any of it is sent: then its parts go one by one, and what is refused
        again fails alone."""
        try:
            send(batch)
        except Exception as error:
            if len(batch) > 1:
                for request in batch:
                    self._hand_over(send, [request])
            elif (future := self._waiting.pop(batch[0][0], None)) is not None and not future.done():
                future.set_exception(error)

    def _notify(self) -> None:
        """Called on a thread of the engine."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._collect)

    def _collect(self) -> None:
        for item in self._engine.collect():
            future = self._waiting.pop(item.ticket, None)
            if future is not None and not future.done():
                future.set_result(item)
