"""Serves the healthy and the hostile hosts, each on its own address, until its standard input ends."""

import argparse
import asyncio
import contextlib
import json
import sys
from functools import partial

from hondius.testweb.listeners import listen, raise_file_limit
from tests.acceptance.unshakable.hostile.kinds import KINDS, LONGEST, Kind, bad_tls

PAGES = 10
"""Pages per healthy host."""
HEAD = b"HTTP/1.1 %b\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"


def address_of(host: int) -> str:
    return f"127.41.{host // 250}.{host % 250 + 1}"


def name_of(host: int, healthy: int) -> str:
    return f"good{host:04}.test" if host < healthy else f"{_kind(host, healthy).__name__.replace('_', '-')}{host}.test"


def seed_of(host: int, healthy: int) -> str:
    is_tls = host >= healthy and _kind(host, healthy) is bad_tls
    return f"{'https' if is_tls else 'http'}://{name_of(host, healthy)}/"


def _kind(host: int, healthy: int) -> Kind:
    return KINDS[(host - healthy) % len(KINDS)]


async def serve_healthy(host: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        while head := await reader.readuntil(b"\r\n\r\n"):
            path = head.split(b" ", 2)[1].decode()
            number = 0 if path == "/" else int(path[1:]) if path[1:].isdecimal() else PAGES
            if number >= PAGES:
                writer.write(HEAD % (b"404 Not Found", 0))
            else:
                links = "".join(f'<a href="/{page}">{page}</a>' for page in range(1, PAGES))
                body = f"<title>{host}</title><p>Page {number} of host {host}: its own words.</p>{links}".encode()
                writer.write(HEAD % (b"200 OK", len(body)) + body)
            await writer.drain()
    writer.close()


async def serve_hostile(kind: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    answer = KINDS[kind % len(KINDS)]
    with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError, ValueError):
        async with asyncio.timeout(LONGEST):
            if answer is bad_tls:
                await reader.read(64)
                await answer("", writer)
            else:
                head = await reader.readuntil(b"\r\n\r\n")
                await answer(head.split(b" ", 2)[1].decode("latin-1"), writer)
    with contextlib.suppress(OSError):
        writer.close()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--healthy", type=int, required=True)
    parser.add_argument("--hostile", type=int, required=True)
    options = parser.parse_args()
    hosts = options.healthy + options.hostile
    raise_file_limit(4 * hosts)
    sockets = listen([address_of(host) for host in range(hosts)], 0)
    for host, socket in enumerate(sockets):
        is_healthy = host < options.healthy
        serve = partial(serve_healthy, host) if is_healthy else partial(serve_hostile, host - options.healthy)
        await asyncio.start_server(serve, sock=socket)
    print(json.dumps({"port": sockets[0].getsockname()[1]}), flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
