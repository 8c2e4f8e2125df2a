"""A small HTTP/1.1 server on loopback. Archive and catalog are read on threads, so that many requests are answered at
once and none waits for another's disk."""

import asyncio
import contextlib
import errno
import logging
import signal
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from hondius.errors import HondiusError, WrongUse
from hondius.use.replay.requests import BadRequest, Request, parse_request
from hondius.use.replay.responses import Response

ADDRESS = "127.0.0.1"
LARGEST_HEAD = 64 * 1024
"""Bytes. The address of an archived page may be long."""
MOST_CONNECTIONS = 256
THREADS = 8
IDLE = 60.0
"""Seconds that a connection may wait for the next request."""
PLAIN = (("Content-Type", "text/plain; charset=utf-8"),)
BAD_REQUEST = Response(400, PLAIN, b"This is no request that can be answered.")
TOO_LONG = Response(431, PLAIN, b"The head of this request is too long.")
TOO_MANY = Response(503, PLAIN, b"Too many connections are open.")
FAILED = Response(500, PLAIN, b"Hondius has a bug here. The other pages of the archive are not affected.")

_log = logging.getLogger("hondius.use.replay")

Answer = Callable[[Request], Response]


def listen(port: int) -> socket.socket:
    """Raises WrongUse if the port is taken."""
    try:
        return socket.create_server((ADDRESS, port), backlog=MOST_CONNECTIONS)
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise WrongUse(f"port {port} cannot be used ({error.strerror}): choose another with --port") from None
        raise HondiusError(f"cannot listen on {ADDRESS}:{port}: {error.strerror}") from error


class ReplayServer:
    """Serves until `close`."""

    def __init__(self, listener: socket.socket, answer: Answer) -> None:
        self._listener = listener
        self._answer = answer
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="hondius-replay")
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, sock=self._listener, limit=LARGEST_HEAD)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        self._threads.shutdown(wait=True, cancel_futures=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            if len(self._connections) > MOST_CONNECTIONS:
                writer.write(TOO_MANY.encode(is_head=False, closes=True))
            else:
                await self._serve(reader, writer)
        except (ConnectionError, TimeoutError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), IDLE)
                request = parse_request(head[:-4])
            except asyncio.IncompleteReadError:
                return None
            except asyncio.LimitOverrunError:
                return await _send(writer, TOO_LONG, is_head=False, closes=True)
            except BadRequest:
                return await _send(writer, BAD_REQUEST, is_head=False, closes=True)
            response = await asyncio.get_running_loop().run_in_executor(self._threads, self._answer_safely, request)
            closes = not request.keeps_alive or request.has_body
            await _send(writer, response, is_head=request.method == "HEAD", closes=closes)
            if closes:
                return None

    def _answer_safely(self, request: Request) -> Response:
        """A bug is the failure of one request."""
        try:
            return self._answer(request)
        except Exception:
            _log.exception("cannot answer %s %s", request.method, request.target)
            return FAILED


async def _send(writer: asyncio.StreamWriter, response: Response, *, is_head: bool, closes: bool) -> None:
    writer.write(response.encode(is_head=is_head, closes=closes))
    await writer.drain()


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
