"""Serves the pages until its input ends: `python -m hondius.use.bench.server HOSTS`.

Prints the port, as JSON, once it listens; and at the end the CPU it needed for serving.
"""

import asyncio
import json
import re
import sys
import time
from contextlib import suppress
from functools import partial

from hondius.errors import HondiusError
from hondius.testweb.listeners import close, listen, raise_file_limit
from hondius.use.bench.site import ROBOTS, Parts, host_address, site

LARGEST_HEAD = 64 * 1024
_HOST = re.compile(rb"\r\nhost: ([^\r:]+)", re.IGNORECASE)
Answers = dict[tuple[bytes, bytes], Parts]


class Connection(asyncio.Protocol):
    """Kept alive; one request at a time, as polite clients send them."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._buffer = b""
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head, self._buffer = self._buffer[:end], self._buffer[end + 4 :]
            self._answer(head)
        if len(self._buffer) > LARGEST_HEAD:
            self._transport.abort()

    def _answer(self, head: bytes) -> None:
        words, host = head.split(b" ", 2), _HOST.search(head)
        path = words[1] if len(words) == 3 else b""
        self._transport.writelines(_of(self._answers, host[1] if host else b"", path))


def _of(answers: Answers, host: bytes, path: bytes) -> Parts:
    if path == b"/robots.txt":
        return _answer([ROBOTS], "200 OK", "text/plain")
    return answers.get((host, path)) or _answer([], "404 Not Found", "text/plain")


def _answer(body: Parts, status: str, kind: str, coding: str = "") -> Parts:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{coding}Content-Length: {sum(map(len, body))}\r\n\r\n"
    return [head.encode(), *body]


def _prepared(hosts: int) -> Answers:
    return {
        (host.encode(), path.encode()): _answer(
            body, "200 OK", "text/html; charset=utf-8", "Content-Encoding: gzip\r\n" if is_gzipped else ""
        )
        for host, path, body, is_gzipped in site(hosts)
    }


def _say(fact: dict[str, float]) -> None:
    sys.stdout.write(json.dumps(fact) + "\n")
    sys.stdout.flush()


async def serve(hosts: int) -> None:
    answers = _prepared(hosts)
    raise_file_limit(hosts)
    sockets = listen([host_address(host) for host in range(hosts)], 0)
    loop = asyncio.get_running_loop()
    servers = [await loop.create_server(partial(Connection, answers), sock=listener) for listener in sockets]
    before = time.process_time()
    _say({"port": sockets[0].getsockname()[1]})
    await loop.run_in_executor(None, sys.stdin.read)
    _say({"cpu": time.process_time() - before})
    for server in servers:
        server.close()
    close(sockets)


if __name__ == "__main__":
    try:
        with suppress(BrokenPipeError):  # whoever started it is gone
            asyncio.run(serve(int(sys.argv[1])))
    except HondiusError as error:
        sys.exit(f"hondius: {error}")
