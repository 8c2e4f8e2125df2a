"""A host is free when the engine has ended what it was asked for, and not before (F4, P1)."""

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.journeys.scripted_site import hondius
from tests.unshakable.patched_command import hondius_with

TAKES = 7.0
LEASE = 2.0


@dataclass
class DrippingSite:
    """Answers `slow` paths a byte at a time, each within the time between two bytes; knows who was there at once."""

    slow: str
    under_way: int = 0
    at_once: int = 0
    paths: list[str] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
            self.paths.append(path)
            self.under_way += 1
            self.at_once = max(self.at_once, self.under_way)
            try:
                await self._answer(path, writer)
            finally:
                self.under_way -= 1
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, path: str, writer: asyncio.StreamWriter) -> None:
        body = b'<a href="/1">1</a> <a href="/2">2</a>' if path == "/" else b""
        kind = b"text/plain" if path == "/robots.txt" else b"text/html"
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: %s\r\n\r\n" % kind)
        ends = time.monotonic() + (TAKES if path == self.slow else 0.0)
        while time.monotonic() < ends:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.2)
        writer.write(body)
        await writer.drain()


async def crawled(site: DrippingSite, into: Path) -> str:
    """What the audit says of the crawl."""
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    try:
        resolve = f"*.test=127.0.0.1:{server.sockets[0].getsockname()[1]}"
        arguments = ("crawl", "http://a.test/", "--into", into, "--delay", "0", "--resolve", resolve, "--json")
        quiet = ("--set", "scope.sitemaps=false")
        await hondius_with("hondius.crawler.run", "LEASE", LEASE, *arguments, *quiet, enough=lambda: site.at_once > 1)
    finally:
        server.close()
    return (await hondius("audit", into)).out


@pytest.mark.defect(
    "a request that took longer than its lease was still under way when its host was asked again", inside=True
)
async def test_f4_p1_a_page_that_takes_longer_than_any_lease_is_waited_for(tmp_path: Path) -> None:
    site = DrippingSite("/")
    audit = await crawled(site, tmp_path / "c")
    assert site.at_once == 1
    assert site.paths == ["/robots.txt", "/", "/1", "/2"]
    assert "VIOLATED" not in audit


@pytest.mark.defect("a robots.txt that took longer than its lease was asked for again while it came", inside=True)
async def test_f4_p1_a_robots_that_takes_longer_than_any_lease_is_waited_for(tmp_path: Path) -> None:
    site = DrippingSite("/robots.txt")
    audit = await crawled(site, tmp_path / "c")
    assert site.at_once == 1
    assert site.paths == ["/robots.txt", "/", "/1", "/2"]
    assert "VIOLATED" not in audit
