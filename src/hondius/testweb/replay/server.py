"""One listener for each host. A host often has both schemes, and an override has one port for both, so the first octet
of a connection decides whether it is TLS."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Coroutine
from functools import partial
from typing import Any

from hondius.testweb.access_log import AccessLog
from hondius.testweb.replay.answers import ArchivedAnswers
from hondius.testweb.server import Connection, OpenConnections

HANDSHAKE = 0x16
OUT_OF_FILES = 0.1


class ReplayServers:
    """`close` closes listeners and connections."""

    def __init__(self, answers: ArchivedAnswers, log: AccessLog) -> None:
        self._answers = answers
        self._log = log
        self._connections = OpenConnections()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, host: str, listener: socket.socket, context: ssl.SSLContext | None) -> None:
        self._start_task(self._accept(host, listener, context))

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._connections.end()

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _accept(self, host: str, listener: socket.socket, context: ssl.SSLContext | None) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(listener)
            except OSError:
                await asyncio.sleep(OUT_OF_FILES)
                continue
            self._start_task(self._detect_scheme(host, connection, context))

    async def _detect_scheme(self, host: str, connection: socket.socket, context: ssl.SSLContext | None) -> None:
        connection.setblocking(False)
        try:
            first = await _peek_octet(connection)
            secure = first == HANDSHAKE
            if first is None or (secure and context is None):
                return connection.close()
            with contextlib.suppress(OSError):
                await asyncio.get_running_loop().connect_accepted_socket(
                    partial(self._make_connection, host, "https" if secure else "http", connection.getsockname()[0]),
                    connection,
                    ssl=context if secure else None,
                )
        except BaseException:
            connection.close()
            raise
        return None

    def _make_connection(self, host: str, scheme: str, address: str) -> Connection:
        respond = partial(self._answers.reply, host, scheme)
        return Connection(scheme, address, respond, self._log, self._connections)


async def _peek_octet(connection: socket.socket) -> int | None:
    """Does not consume the octet. None if the client has disconnected."""
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(connection, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(connection)
    try:
        data = connection.recv(1, socket.MSG_PEEK)
    except OSError:
        return None
    return data[0] if data else None
