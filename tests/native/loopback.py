"""Servers on the loopback that answer with exactly the bytes a test wants, and an engine to ask them."""

import asyncio
import hashlib
import queue
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

from hondius._native import Engine, Fetched, Identity, Reader, Resolved

PATIENCE = 10.0

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


@asynccontextmanager
async def listening(handler: Handler, *, host: str = "127.0.0.1", **options: Any) -> AsyncIterator[int]:
    """A port where `handler` serves each connection; every one is closed at the end."""
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await handler(reader, writer)
            writer.close()
            await writer.wait_closed()
        except (ConnectionError, ssl.SSLError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()
            tasks.discard(task)

    server = await asyncio.start_server(serve, host, 0, **options)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        await settle()
        server.close()
        for task in tasks:
            task.cancel()
        await settle()


async def settle() -> None:
    """asyncio accepts and closes connections in several steps, none of which can be waited for."""
    for _ in range(10):
        await asyncio.sleep(0)


async def read_head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


class Server:
    """What a server of `serving` saw. `requests` holds the heads of what was asked, in order."""

    def __init__(self, answer: bytes | Handler, *, close: bool) -> None:
        self.answer = answer
        self.close = close
        self.requests: list[bytes] = []
        self.connections = 0
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while head := await read_head(reader):
            self.requests.append(head)
            if isinstance(self.answer, bytes):
                writer.write(self.answer)
                await writer.drain()
            else:
                await self.answer(reader, writer)
            if self.close:
                break


@asynccontextmanager
async def serving(answer: bytes | Handler, *, close: bool = True, **options: Any) -> AsyncIterator[Server]:
    """A server that gives `answer` to every request, and closes then unless told otherwise."""
    server = Server(answer, close=close)
    async with listening(server.serve, **options) as port:
        server.port = port
        yield server


class Client:
    """An engine as the crawler drives it: submit, be notified, collect."""

    def __init__(self, **settings: Any) -> None:
        self.bell: queue.SimpleQueue[None] = queue.SimpleQueue()
        self.rings = 0
        settings.setdefault("allow_private", ["127.0.0.0/8"])
        settings.setdefault("user_agent", "Hondius/test")
        settings.setdefault("threads", 2)
        reader = Reader(Identity(), agent_token="hondius")
        self.engine = Engine(reader, self._ring, **settings)
        self.tickets = 0

    def _ring(self) -> None:
        self.rings += 1
        self.bell.put(None)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.close()

    async def outcomes(self, count: int) -> list[Fetched | Resolved]:
        found: list[Fetched | Resolved] = []
        while len(found) < count:
            await asyncio.to_thread(self.bell.get, True, PATIENCE)
            found += self.engine.collect()
        return found

    def submit(
        self,
        href: str,
        address: str,
        kind: str = "page",
        extra: Sequence[tuple[str, bytes]] = (),
    ) -> int:
        self.tickets += 1
        key = hashlib.sha256(href.encode()).digest()[:16]
        self.engine.submit([(self.tickets, key, href, address, kind, extra)])
        return self.tickets

    async def fetch(self, href: str, address: str = "127.0.0.1", kind: str = "page", **options: Any) -> Fetched:
        ticket = self.submit(href, address, kind, **options)
        (outcome,) = await self.outcomes(1)
        assert isinstance(outcome, Fetched)
        assert outcome.ticket == ticket
        return outcome

    async def ask(self, server: Server, path: str = "/", **options: Any) -> Fetched:
        return await self.fetch(f"http://a.test:{server.port}{path}", **options)

    async def resolve(self, host: str) -> Resolved:
        self.engine.resolve([(7, host)])
        (outcome,) = await self.outcomes(1)
        assert isinstance(outcome, Resolved)
        assert (outcome.ticket, outcome.host) == (7, host)
        return outcome


def response(body: bytes = b"", *headers: str, status: str = "200 OK", length: bool = True) -> bytes:
    """A whole answer with a Content-Length, unless told otherwise."""
    lines = [f"HTTP/1.1 {status}", *headers]
    if length:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


async def raw(data: bytes, **settings: Any) -> Fetched:
    """What an engine makes of these bytes, after which the server closes."""
    async with serving(data) as server:
        with Client(**settings) as client:
            return await client.ask(server)
