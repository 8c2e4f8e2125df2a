"""A minimal HTTP/1.1 server with keep-alive, one request at a time on each connection."""

import asyncio
import socket
import ssl
import time
from collections.abc import Callable
from email.utils import formatdate
from functools import partial
from http import HTTPStatus

import msgspec

from hondius.testweb.access_log import GONE, Access, AccessLog
from hondius.testweb.answers import MISDIRECTED, Answers, Reply
from hondius.testweb.model import Host

LARGEST_HEAD = 64 * 1024
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_WITHOUT_BODY = frozenset({204, 304})


class Request:
    """The head of a request; bodies are not supported. Raises ValueError if it is malformed."""

    __slots__ = ("headers", "method", "target")

    def __init__(self, head: bytes) -> None:
        first, *lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, version = first.split(" ")
        if not version.startswith("HTTP/1.") or not self.target.startswith("/"):
            raise ValueError(first)
        self.headers: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()

    @property
    def accepts_gzip(self) -> bool:
        return "gzip" in self.headers.get("accept-encoding", "")

    @property
    def keeps_alive(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"


Respond = Callable[[Request], Reply]


class OpenConnections:
    """The open connections, to be closed with the web."""

    def __init__(self) -> None:
        self._transports: set[asyncio.Transport] = set()
        self._none_left = asyncio.Event()
        self._none_left.set()

    def add(self, transport: asyncio.Transport) -> None:
        self._transports.add(transport)
        self._none_left.clear()

    def discard(self, transport: asyncio.Transport) -> None:
        self._transports.discard(transport)
        if not self._transports:
            self._none_left.set()

    async def end(self) -> None:
        for transport in list(self._transports):
            transport.abort()
        await self._none_left.wait()


class Connection(asyncio.Protocol):
    """While a slow answer is pending, further requests wait in the buffer."""

    def __init__(
        self, scheme: str, address: str, respond: Respond, log: AccessLog, open_connections: OpenConnections
    ) -> None:
        self._scheme = scheme
        self._address = address
        self._respond = respond
        self._log = log
        self._open = open_connections
        self._buffer = b""
        self._started = 0.0
        self._waiting: asyncio.TimerHandle | None = None
        self._late: tuple[Request, Reply] | None = None
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._open.add(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._open.discard(self._transport)
        if self._waiting is not None:
            self._waiting.cancel()
        if self._late is not None:
            request, reply = self._late
            self._log_access(request, msgspec.structs.replace(reply, status=GONE))

    def data_received(self, data: bytes) -> None:
        if not self._buffer:
            self._started = time.time()
        self._buffer += data
        self._serve_buffered()

    def _serve_buffered(self) -> None:
        while self._waiting is None and not self._transport.is_closing():
            head, mark, rest = self._buffer.partition(b"\r\n\r\n")
            if not mark:
                if len(self._buffer) > LARGEST_HEAD:
                    self._transport.close()
                return
            self._buffer = rest
            self._serve(head)

    def _serve(self, head: bytes) -> None:
        try:
            request = Request(head)
        except ValueError:
            self._transport.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            self._transport.close()
            return
        reply = self._respond(request)
        if reply.delay:
            self._late = request, reply
            self._waiting = asyncio.get_running_loop().call_later(reply.delay, self._send_late, request, reply)
        else:
            self._send(request, reply)

    def _send_late(self, request: Request, reply: Reply) -> None:
        self._waiting = self._late = None
        self._send(request, reply)
        self._serve_buffered()

    def _send(self, request: Request, reply: Reply) -> None:
        closes = reply.closes or not request.keeps_alive
        body = b"" if request.method == "HEAD" else _frame_body(reply)
        answer = _write_head(reply, closes) + body
        self._log_access(request, reply)
        self._transport.write(answer)
        if closes:
            self._transport.close()

    def _log_access(self, request: Request, reply: Reply) -> None:
        now = time.time()
        host = request.headers.get("host", "")
        url = f"{self._scheme}://{host}{request.target}"
        agent = request.headers.get("user-agent", "")
        self._log.write(Access(now, self._started, self._address, host, url, agent, reply.status, reply.resource))
        self._started = now


def _write_head(reply: Reply, closes: bool) -> bytes:
    lines = [f"HTTP/1.1 {reply.status} {_PHRASES.get(reply.status, '')}"]
    if not reply.as_archived:
        lines += [f"Date: {formatdate(usegmt=True)}", "Server: testweb"]
    lines += [f"{name}: {value}" for name, value in reply.headers]
    if reply.chunked:
        lines.append("Transfer-Encoding: chunked")
    elif not reply.closes and reply.status not in _WITHOUT_BODY:
        lines.append(f"Content-Length: {len(reply.body)}")
    if closes:
        lines.append("Connection: close")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _frame_body(reply: Reply) -> bytes:
    if not reply.chunked:
        return reply.body
    middle = len(reply.body) // 3
    parts = [part for part in (reply.body[:middle], reply.body[middle:]) if part]
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


class Servers:
    """Servers for all hosts of a web. `close` closes listeners and connections."""

    def __init__(self, answers: Answers, log: AccessLog) -> None:
        self._answers = answers
        self._log = log
        self._servers: list[asyncio.Server] = []
        self._connections = OpenConnections()

    async def start(self, host: Host, listener: socket.socket, context: ssl.SSLContext | None) -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: self._make_connection(host), sock=listener, ssl=context)
        self._servers.append(server)

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        await self._connections.end()

    def _make_connection(self, host: Host) -> Connection:
        return Connection(host.scheme, host.address, partial(self._reply, host), self._log, self._connections)

    def _reply(self, host: Host, request: Request) -> Reply:
        if request.headers.get("host", "").lower() != host.name:
            return MISDIRECTED
        return self._answers.reply(host, request.target, accepts_gzip=request.accepts_gzip)
