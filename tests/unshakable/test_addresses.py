"""A host with several addresses, of which the first does not answer."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Ended, Script, hondius, scripted_site

PAGES: Script = {"/": Answer.page("/1", "/2"), "/1": Answer.page(), "/2": Answer.page()}
REFUSES = "127.0.0.2"
"""Nobody listens there."""
ASKS_OUR_SERVER = """
import sys
from hondius.crawler import translation
from hondius.operate.cli import main
make = translation.Engine
translation.Engine = lambda *parts, **settings: make(*parts, **{**settings, "resolvers": [sys.argv[1]]})
sys.exit(main.run(sys.argv[2:]))
"""
"""The command; the engine asks the name server of the test, not that of the machine."""


async def hondius_asking(server: str, *arguments: str | Path) -> Ended:
    pipe = asyncio.subprocess.PIPE
    words = ("-c", ASKS_OUR_SERVER, server, *map(str, arguments))
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=pipe, stderr=pipe)
    out, error = await process.communicate()
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), error.decode())


@pytest.mark.defect("only the first address of a host is ever tried", inside=True)
async def test_p3_a_host_whose_first_address_refuses_connections_is_crawled_at_its_second(tmp_path: Path) -> None:
    from tests.native.test_engine_dns import A, name_server

    async with name_server() as server, scripted_site(PAGES) as site:
        server.zone["a.internal"] = [(A, REFUSES, 3600), (A, "127.0.0.1", 3600)]
        ended = await hondius_asking(
            server.address,
            *("crawl", f"http://a.internal:{site.port}/", "--into", tmp_path / "crawl", "--json"),
            *("--allow-private", "127.0.0.0/8", "--max-time", "15s"),
        )
    assert server.asked, ended.error
    assert sorted(site.paths()) == ["/", "/1", "/2"], ended
    assert ended.status == 0
    assert (await hondius("audit", tmp_path / "crawl")).status == 0


async def test_n3_resolve_gives_a_host_several_addresses(tmp_path: Path) -> None:
    async with scripted_site(PAGES) as site:
        addresses = f"{REFUSES}:{site.port},127.0.0.1:{site.port}"
        ended = await hondius(
            *("crawl", "http://a.test/", "--into", tmp_path / "crawl", "--resolve", f"*.test={addresses}", "--json")
        )
    assert sorted(site.paths()) == ["/", "/1", "/2"], ended.error
    assert ended.status == 0
    assert (await hondius("audit", tmp_path / "crawl")).status == 0
