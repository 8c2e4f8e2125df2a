"""A small HTTP/1.1 server on loopback. Archive and catalog are read on threads, so that many requests are answered at
once and none waits for another's disk.

A client may read slowly, or not at all. Its response stays in memory, so the bytes of all responses are limited: while
they are at the limit no request is answered, and clients that read nothing are disconnected. None of them delays
`close`.
"""

import asyncio
import errno
import logging
import signal
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from hondius.errors import HondiusError, WrongUse
from hondius.use.replay.requests import BadRequest, Request, parse_request
from hondius.use.replay.response_memory import ResponseMemory
from hondius.use.replay.responses import Response

ADDRESS = "127.0.0.1"
LARGEST_HEAD = 64 * 1024
"""Bytes. The address of an archived page may be long."""
THREADS = 8
BACKLOG = 256
PIECE = 64 * 1024
"""Bytes that are written at once."""
PLAIN = (("Content-Type", "text/plain; charset=utf-8"),)
BAD_REQUEST = Response(400, PLAIN, b"This is no request that can be answered.")
TOO_LONG = Response(431, PLAIN, b"The head of this request is too long.")
TOO_MANY = Response(503, PLAIN, b"Too many connections are open.")
FAILED = Response(500, PLAIN, b"Hondius has a bug here. The other pages of the archive are not affected.")

_log = logging.getLogger("hondius.use.replay")

Answer = Callable[[Request], Response]


@dataclass(frozen=True)
class Limits:
    """Times in seconds."""

    connections: int = 256
    response_bytes: int = 64 * 1024 * 1024
    """Bodies of responses in memory. At this limit no other request is answered; those of the `THREADS` requests that
    are being answered may exceed it."""
    idle: float = 60.0
    """How long a connection may wait for the next request."""
    stalled: float = 60.0
    """How long a client may take to read a piece of a response."""
    patience: float = 1.0
    """The same at the limit of memory."""


def listen(port: int) -> socket.socket:
    """Raises WrongUse if the port is taken."""
    try:
        return socket.create_server((ADDRESS, port), backlog=BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise WrongUse(f"port {port} is in use: choose another with --port, or 0 for one that is free") from None
        if error.errno == errno.EACCES:
            raise WrongUse(f"port {port} cannot be used ({error.strerror}): choose another with --port") from None
        raise HondiusError(f"cannot listen on {ADDRESS}:{port}: {error.strerror}") from error


class ReplayServer:
    """Serves until `close`."""

    def __init__(self, listener: socket.socket, answer: Answer, limits: Limits | None = None) -> None:
        self._listener = listener
        self._answer = answer
        self._limits = limits or Limits()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="hondius-replay")
        self._places = asyncio.Semaphore(THREADS)
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._memory = ResponseMemory(self._limits.response_bytes, self._limits.patience)
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, sock=self._listener, limit=LARGEST_HEAD)

    async def close(self) -> None:
        """Does not wait until clients have read what is sent to them."""
        if self._server is not None:
            self._server.close()
        for task, writer in list(self._connections.items()):
            writer.transport.abort()
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        self._threads.shutdown(wait=True, cancel_futures=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = writer
        patience = self._limits.stalled
        try:
            if len(self._connections) > self._limits.connections:
                patience = self._limits.patience
                writer.write(TOO_MANY.encode_head(closes=True) + TOO_MANY.body)
            else:
                await self._serve(reader, writer)
            writer.close()
            await asyncio.wait_for(writer.wait_closed(), patience)
        except (ConnectionError, TimeoutError, asyncio.CancelledError):
            pass
        finally:
            del self._connections[task]
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), self._limits.idle)
                request = parse_request(head[:-4])
            except asyncio.IncompleteReadError:
                return None
            except asyncio.LimitOverrunError:
                return await self._send(writer, TOO_LONG, is_head=False, closes=True)
            except BadRequest:
                return await self._send(writer, BAD_REQUEST, is_head=False, closes=True)
            closes = not request.keeps_alive or request.has_body
            response = await self._make_response(request)
            try:
                await self._send(writer, response, is_head=request.method == "HEAD", closes=closes)
            finally:
                self._memory.release(response)
            del response
            if closes:
                return None

    async def _make_response(self, request: Request) -> Response:
        """The caller releases its memory."""
        async with self._places:
            await self._memory.wait_for_room()
            loop = asyncio.get_running_loop()
            response = await loop.run_in_executor(self._threads, self._answer_safely, request)
            self._memory.hold(response)
            return response

    async def _send(self, writer: asyncio.StreamWriter, response: Response, *, is_head: bool, closes: bool) -> None:
        writer.write(response.encode_head(closes=closes))
        body = memoryview(b"" if is_head else response.body)
        with self._memory.watch(writer) as note_progress:
            for start in range(0, max(len(body), 1), PIECE):
                writer.write(body[start : start + PIECE])
                await asyncio.wait_for(writer.drain(), self._limits.stalled)
                note_progress()

    def _answer_safely(self, request: Request) -> Response:
        """A bug is the failure of one request."""
        try:
            return self._answer(request)
        except Exception:
            _log.exception("cannot answer %s %s", request.method, request.target)
            return FAILED


async def serve_until_stopped(server: ReplayServer, announce: Callable[[], None]) -> None:
    """Until SIGINT or SIGTERM. Calls `announce` when the first request can be answered."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    await server.start()
    try:
        announce()
        await stopped.wait()
    finally:
        await server.close()
