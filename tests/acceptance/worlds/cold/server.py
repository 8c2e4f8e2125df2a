"""`python -m tests.acceptance.worlds.cold.server URLS`: serves the pages until its standard input ends."""

import asyncio
import contextlib
import json
import sys

from tests.acceptance.worlds.cold.web import ColdWeb

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"


async def serve(web: ColdWeb, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        while head := await reader.readuntil(b"\r\n\r\n"):
            body = web.page(int(head.split(b" ", 2)[1][1:]))
            writer.write(HEAD % len(body) + body)
            await writer.drain()
    writer.close()


async def main() -> None:
    web = ColdWeb(int(sys.argv[1]))
    server = await asyncio.start_server(lambda reader, writer: serve(web, reader, writer), "127.0.0.1", 0)
    print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
