"""A site on loopback whose every answer a test scripts, and `hondius` run against it."""

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Request:
    host: str
    path: str
    headers: dict[str, str]
    at: float
    number: int = 1
    """On its connection."""


@dataclass(frozen=True)
class Answer:
    body: str | bytes = ""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html"),)
    delay: float = 0.0
    swallowed: bool = False
    """Nothing is answered: the connection is closed."""
    raw: bytes = b""
    """The whole answer, head and body, byte for byte; nothing else counts then."""

    @classmethod
    def page(cls, *links: str, head: str = "") -> "Answer":
        anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
        return cls(f"<html><head><title>t</title>{head}</head><body>{anchors}</body></html>")

    @classmethod
    def redirect(cls, to: str, status: int = 301) -> "Answer":
        return cls(status=status, headers=(("Location", to),))

    @classmethod
    def robots(cls, text: str | bytes) -> "Answer":
        return cls(text, headers=(("Content-Type", "text/plain"),))


Script = dict[str, Answer | Callable[[Request], Answer]]
MISSING = Answer("missing", 404)


@dataclass
class ScriptedSite:
    """`script` has answers by `host/path`, or by `/path` for every host; robots.txt is missing unless scripted.
    `otherwise` answers for every other path."""

    script: Script
    port: int = 0
    otherwise: Answer | Callable[[Request], Answer] = MISSING
    requests: list[Request] = field(default_factory=list)
    clients: set[str] = field(default_factory=set)
    """Addresses that connections came from."""

    def paths(self, host: str | None = None) -> list[str]:
        """What was asked for, robots.txt and sitemaps aside."""
        aside = ("/robots.txt", "/sitemap.xml")
        return [r.path for r in self.requests if r.path not in aside and host in (None, r.host)]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.clients.add(writer.get_extra_info("peername")[0])
        try:
            for number in count(1):
                request = _parse(await reader.readuntil(b"\r\n\r\n"), number)
                self.requests.append(request)
                answer = self.script.get(request.host + request.path, self.script.get(request.path, self.otherwise))
                answer = answer(request) if callable(answer) else answer
                await asyncio.sleep(answer.delay)
                if answer.swallowed:
                    break
                writer.write(_written(answer))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def scripted_site(
    script: Script, otherwise: Answer | Callable[[Request], Answer] = MISSING
) -> AsyncIterator[ScriptedSite]:
    site = ScriptedSite(script, otherwise=otherwise)
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    error: str

    @property
    def figures(self) -> dict[str, Any]:
        figures: dict[str, Any] = json.loads(self.out)
        return figures


async def start_command(*arguments: str | Path) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "hondius", *map(str, arguments), stdout=pipe, stderr=pipe
    )


async def hondius(*arguments: str | Path, patience: float = 60) -> Ended:
    process = await start_command(*arguments)
    try:
        out, error = await asyncio.wait_for(process.communicate(), patience)
    except (TimeoutError, asyncio.CancelledError):
        process.kill()
        await process.wait()
        raise
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), error.decode())


async def crawl(site: ScriptedSite, into: Path, *arguments: str, delay: str = "0", patience: float = 60) -> Ended:
    resolve = f"*.test=127.0.0.1:{site.port}"
    return await hondius(
        "crawl", *arguments, "--into", into, "--delay", delay, "--resolve", resolve, "--json", patience=patience
    )


async def export_rows(directory: Path, *options: str) -> dict[str, dict[str, Any]]:
    """Rows of the export by URL."""
    ended = await hondius("export", directory, "--format", "jsonl", *options)
    assert ended.status == 0, ended.error
    rows = [json.loads(line) for line in ended.out.splitlines()]
    return {row["url"]: row for row in rows if not row["url"].endswith("/sitemap.xml")}


async def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    assert await comes_true(condition, seconds), "it did not come to pass"


async def comes_true(condition: Callable[[], bool], seconds: float) -> bool:
    """Waits for it, but no longer than that."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        await asyncio.sleep(0.02)
    return True


def _parse(head: bytes, number: int) -> Request:
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Request(headers["host"], first.split(" ")[1], headers, time.time(), number)


def _written(answer: Answer) -> bytes:
    if answer.raw:
        return answer.raw
    body = answer.body.encode() if isinstance(answer.body, str) else answer.body
    lines = [f"HTTP/1.1 {answer.status} Scripted", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    return "\r\n".join([*lines, "", ""]).encode() + body
