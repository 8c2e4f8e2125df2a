"""A host is free only after the engine has ended its request (F4, P1)."""

import asyncio
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Script, export_rows, hondius, scripted_site
from tests.unshakable.patched_command import hondius_with

TAKES = 7.0
LEASE = 2.0


@dataclass
class DrippingSite:
    """Answers `slow` paths byte by byte, each within the read time-out; records parallel requests."""

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


async def crawl_and_audit(site: DrippingSite, into: Path) -> str:
    """Crawls, and returns the result of the audit."""
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
    audit = await crawl_and_audit(site, tmp_path / "c")
    assert site.at_once == 1
    assert site.paths == ["/robots.txt", "/", "/1", "/2"]
    assert "VIOLATED" not in audit


@pytest.mark.defect("a robots.txt that took longer than its lease was asked for again while it came", inside=True)
async def test_f4_p1_a_robots_that_takes_longer_than_any_lease_is_waited_for(tmp_path: Path) -> None:
    site = DrippingSite("/robots.txt")
    audit = await crawl_and_audit(site, tmp_path / "c")
    assert site.at_once == 1
    assert site.paths == ["/robots.txt", "/", "/1", "/2"]
    assert "VIOLATED" not in audit


LOSES_ANSWERS = """
import sys
from hondius.crawler import run
from hondius.crawler.fetch import fetcher
from hondius.operate.cli import main

class Losing:
    def __init__(self, engine):
        self.engine, self.lost = engine, set()
    def __getattr__(self, name):
        return getattr(self.engine, name)
    def submit(self, requests, *more, **named):
        self.lost |= {request[0] for request in requests if request[2].endswith("/lost")}
        return self.engine.submit(requests, *more, **named)
    def cancel(self, requests, cause):
        self.lost -= {request[0] for request in requests}
        return self.engine.cancel(requests, cause)
    def collect(self):
        return [item for item in self.engine.collect() if item.ticket not in self.lost]

begin = fetcher.Fetcher.__init__
def begin_losing(self, make, *more):
    begin(self, lambda notify: Losing(make(notify)), *more)
fetcher.Fetcher.__init__ = begin_losing
run.LEASE, fetcher.LEASE_MARGIN = 2.0, 0.5
sys.exit(main.run(sys.argv[1:]))
"""
"""The command, with short leases; the engine's result for one path never arrives."""


@pytest.mark.defect(
    "a request whose answer never came back was sent again for ever, and counted by nobody", inside=True
)
async def test_f4_f7_an_answer_that_never_comes_back_is_a_failed_fetch(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/lost", "/1", "/2"), "/lost": Answer.page(), "/1": Answer.page()}
    async with scripted_site(script, otherwise=Answer.page()) as site:
        arguments = ["crawl", "http://a.test/", "--into", str(tmp_path / "c"), "--delay", "0", "--json"]
        arguments += ["--resolve", f"*.test=127.0.0.1:{site.port}", "--max-time", "25"]
        arguments += ["--set", "fetch.total_timeout=1.5", "--set", "politeness.retries=0"]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", LOSES_ANSWERS, *arguments, stdout=pipe, stderr=pipe
        )
        _, error = await asyncio.wait_for(process.communicate(), 60)
    rows = await export_rows(tmp_path / "c")
    assert {"/lost", "/1", "/2"} <= set(site.paths()), error.decode()
    assert "http://a.test/lost" in rows, f"asked for {site.paths().count('/lost')} times, and it never ended"
    assert (rows["http://a.test/lost"]["state"], rows["http://a.test/lost"]["cause"]) == ("failed", "lease_ended")
    assert site.paths().count("/lost") == 1
