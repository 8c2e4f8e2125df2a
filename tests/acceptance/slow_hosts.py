"""Hosts of which some never answer and some drip: a server in a process of its own, on an address for each host.

A host's character is its number's: of each ten, two are silent (one of them also for robots.txt), one drips a byte a
second, seven are healthy and answer within a drawn time. What the healthy ones served is written down: host, when the
request was read, when the answer was out.
"""

import argparse
import asyncio
import contextlib
import json
import sys
import time
from functools import partial
from random import Random

from hondius.testweb.listeners import listen, raise_file_limit

LINKS_AHEAD = 20
HEAD = b"HTTP/1.1 %b\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"


def name_of(host: int) -> str:
    return f"h{host:04}.test"


def address_of(host: int) -> str:
    return f"127.40.{host // 250}.{host % 250 + 1}"


def is_healthy(host: int, ailing: bool) -> bool:
    return not ailing or host % 10 > 2


class Server:
    def __init__(self, ailing: bool, slowest: float, fastest: float = 0.0) -> None:
        self._ailing = ailing
        self._fastest = fastest
        self._slowest = slowest
        self._random = Random(7)
        self.served: list[tuple[int, float, float]] = []

    async def serve(self, host: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                began = time.time()
                path = head.split(b" ", 2)[1].decode()
                if not is_healthy(host, self._ailing) and not (path == "/robots.txt" and host % 10 != 0):
                    await self._ail(host, writer)
                elif path in ("/robots.txt", "/sitemap.xml"):
                    writer.write(HEAD % (b"404 Not Found", 0))
                else:
                    await asyncio.sleep(self._random.uniform(self._fastest, self._slowest))
                    writer.write(_page(host, path))
                await writer.drain()
                if is_healthy(host, self._ailing):
                    self.served.append((host, began, time.time()))
        writer.close()

    async def _ail(self, host: int, writer: asyncio.StreamWriter) -> None:
        if host % 10 < 2:
            await asyncio.sleep(3_600)
        writer.write(HEAD % (b"200 OK", 3_600))
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(1.0)


def _page(host: int, path: str) -> bytes:
    """Every page leads to the next few, so that a host never runs dry, and no host's are copies of another's."""
    number = int(path.strip("/") or 0)
    links = " ".join(f'<a href="/{number + step}">{number + step}</a>' for step in range(1, LINKS_AHEAD))
    body = f"<title>{number}</title><p>Page {number} of {name_of(host)}.</p>{links}".encode()
    return HEAD % (b"200 OK", len(body)) + body


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, required=True)
    parser.add_argument("--slowest", type=float, required=True)
    parser.add_argument("--fastest", type=float, default=0.0)
    parser.add_argument("--ailing", action="store_true")
    options = parser.parse_args()
    raise_file_limit(4 * options.hosts)
    server = Server(options.ailing, options.slowest, options.fastest)
    sockets = listen([address_of(host) for host in range(options.hosts)], 0)
    listeners = [
        await asyncio.start_server(partial(server.serve, host), sock=socket) for host, socket in enumerate(sockets)
    ]
    print(json.dumps({"port": sockets[0].getsockname()[1]}), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for listener in listeners:
        listener.close()
    print(json.dumps(server.served), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
