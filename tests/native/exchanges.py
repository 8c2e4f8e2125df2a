"""Real fetches for whoever needs some: each path's answer, fetched over the loopback."""

import asyncio
from collections.abc import Mapping
from typing import Any

from hondius.native import Fetched
from tests.native.loopback import Client, listening, read_head


def fetch_all(answers: Mapping[str, bytes], **settings: Any) -> dict[str, Fetched]:
    """By path, in the order given, from `http://a.test:PORT`."""
    return asyncio.run(_fetch_all(answers, settings))


async def _fetch_all(answers: Mapping[str, bytes], settings: dict[str, Any]) -> dict[str, Fetched]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await read_head(reader)).split()[1].decode()
        writer.write(answers[path])
        await writer.drain()

    async with listening(answer) as port:
        # The server closes after each answer and does not say so: nothing is kept that may be closed meanwhile.
        with Client(idle_connections=0, **settings) as client:
            return {path: await client.fetch(f"http://a.test:{port}{path}") for path in answers}
