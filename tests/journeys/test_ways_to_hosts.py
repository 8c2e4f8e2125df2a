"""N1, N3: which name servers a crawl asks, and from which address it comes."""

import asyncio
from pathlib import Path

from tests.journeys.scripted_site import Answer, Script, hondius, scripted_site
from tests.native.test_engine_dns import SERVFAIL, A, name_server

PAGES: Script = {"/": Answer.page("/1"), "/1": Answer.page()}
QUICK = ("--allow-private", "127.0.0.0/8", "--delay", "0", "--max-time", "20s", "--json")


async def test_n1_a_crawl_asks_the_name_servers_that_it_is_given(tmp_path: Path) -> None:
    async with name_server() as broken, name_server() as server, scripted_site(PAGES) as site:
        broken.zone["a.internal"] = SERVFAIL
        server.zone["a.internal"] = [(A, "127.0.0.1", 3600)]
        resolvers = ("--resolver", broken.address, "--resolver", server.address)
        url = f"http://a.internal:{site.port}/"
        server.hold = True
        crawling = asyncio.create_task(hondius("crawl", url, "--into", tmp_path / "crawl", *resolvers, *QUICK))
        await asyncio.wait_for(asyncio.gather(broken.answered.wait(), server.holds.wait()), 60)
        server.release()
        ended = await crawling
        assert (ended.status, sorted(site.paths())) == (0, ["/", "/1"]), ended.error
        assert server.asked == [("a.internal", A)]
        assert broken.asked[0] == ("a.internal", A), "how often it is asked again depends on when the other answers"
        assert f'resolvers = ["{broken.address}", "{server.address}"]' in (tmp_path / "crawl/hondius.toml").read_text()


async def test_n3_a_crawl_comes_from_the_address_that_it_is_given(tmp_path: Path) -> None:
    async with scripted_site(PAGES) as site:
        source = ("--source-address", "127.0.0.77", "--source-address", "https://*=127.0.0.78")
        resolve = ("--resolve", f"*.test=127.0.0.1:{site.port}")
        ended = await hondius("crawl", "http://a.test/", "--into", tmp_path / "crawl", *source, *resolve, *QUICK)
    assert (ended.status, sorted(site.paths())) == (0, ["/", "/1"]), ended.error
    assert site.clients == {"127.0.0.77"}


async def test_n3_another_source_address_is_no_reason_to_ask_a_host_again_that_refused(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer("no", 403)}) as site:
        resolve = ("--resolve", f"*.test=127.0.0.1:{site.port}")
        await hondius("crawl", "http://a.test/", "--into", tmp_path / "crawl", *resolve, *QUICK)
        await hondius("resume", tmp_path / "crawl", "--source-address", "127.0.0.77", "--json")
        assert site.paths() == ["/"]
        await hondius("resume", tmp_path / "crawl", "--header", "Cookie: a=b", "--json")
        assert site.paths() == ["/", "/"]


async def test_n3_an_address_of_another_machine_is_wrong_use(tmp_path: Path) -> None:
    ended = await hondius("crawl", "http://a.test/", "--into", tmp_path / "crawl", "--source-address", "192.0.2.7")
    assert ended.status == 2
    assert "192.0.2.7 is no address of this machine" in ended.error
    assert not (tmp_path / "crawl").exists()
