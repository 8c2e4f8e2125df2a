"""Serves the pages until its standard input ends: `python -m hondius.use.bench.server HOSTS`.

Prints the port as JSON when it listens, and at the end the CPU time of serving.
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
from hondius.use.bench.site import ROBOTS, Parts, generate_pages, make_host_address

LARGEST_HEAD = 64 * 1024
_HOST = re.compile(rb"\r\nhost: ([^\r:]+)", re.IGNORECASE)
Answers = dict[tuple[bytes, bytes], Parts]


class Connection(asyncio.Protocol):
    """A keep-alive connection that handles one request at a time."""

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
        self._transport.writelines(_find_answer(self._answers, host[1] if host else b"", path))


def _find_answer(answers: Answers, host: bytes, path: bytes) -> Parts:
    if path == b"/robots.txt":
        return _make_answer([ROBOTS], "200 OK", "text/plain")
    return answers.get((host, path)) or _make_answer([], "404 Not Found", "text/plain")


def _make_answer(body: Parts, status: str, kind: str, coding: str = "") -> Parts:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{coding}Content-Length: {sum(map(len, body))}\r\n\r\n"
    return [head.encode(), *body]


def _prepare_answers(hosts: int) -> Answers:
    return {
        (host.encode(), path.encode()): _make_answer(
            body, "200 OK", "text/html; charset=utf-8", "Content-Encoding: gzip\r\n" if is_gzipped else ""
        )
        for host, path, body, is_gzipped in generate_pages(hosts)
    }


def _print_fact(fact: dict[str, float]) -> None:
    sys.stdout.write(json.dumps(fact) + "\n")
    sys.stdout.flush()


async def serve(hosts: int) -> None:
    answers = _prepare_answers(hosts)
    raise_file_limit(hosts)
    sockets = listen([make_host_address(host) for host in range(hosts)], 0)
    loop = asyncio.get_running_loop()
    servers = [await loop.create_server(partial(Connection, answers), sock=listener) for listener in sockets]
    before = time.process_time()
    _print_fact({"port": sockets[0].getsockname()[1]})
    await loop.run_in_executor(None, sys.stdin.read)
    _print_fact({"cpu": time.process_time() - before})
    for server in servers:
        server.close()
    close(sockets)


if __name__ == "__main__":
    try:
        with suppress(BrokenPipeError):  # the parent process is gone
            asyncio.run(serve(int(sys.argv[1])))
    except HondiusError as error:
        sys.exit(f"hondius: {error}")
