"""`--max-depth`: the fetched pages are those of a breadth-first search, in whatever order pages arrive (D5)."""

import asyncio
import random
from pathlib import Path

import pytest

from tests.journeys.scripted_site import (
    Answer,
    Script,
    crawl,
    export_rows,
    hondius,
    scripted_site,
    start_command,
    until,
)

LATE = 1.5
"""Seconds until the page with the shorter path answers. By then the longer path was fetched."""


def long_and_short(short_to: int, last: int, *, slow: float = LATE) -> Script:
    """A chain of pages /1, /2, … on one host, and a slow page on another host that links into the chain."""
    script: Script = {
        "a.test/": Answer.page("http://chain.test/1", "http://slow.test/"),
        "slow.test/": Answer(Answer.page(f"http://chain.test/{short_to}").body, delay=slow),
    }
    for number in range(1, last + 1):
        script[f"chain.test/{number}"] = Answer.page(f"/{number + 1}")
    return script


async def fetched_to(into: Path) -> dict[str, int]:
    """The depths of the fetched pages of the chain, by number."""
    rows = await export_rows(into)
    chain = {url.removeprefix("http://chain.test/"): row for url, row in rows.items() if "//chain.test/" in url}
    return {name: row["depth"] for name, row in chain.items()}


def chain(short_to: int, deepest: int) -> dict[str, int]:
    """The expected depths for `long_and_short`, by breadth-first search."""
    depths = {number: min(number, 2 + number - short_to if number >= short_to else number) for number in range(1, 40)}
    return {str(number): depth for number, depth in depths.items() if depth <= deepest}


@pytest.mark.defect("--max-depth lost pages whose shorter path led through a page that was fetched before")
async def test_d5_a_shorter_path_through_a_fetched_page_brings_the_pages_behind_it_within_the_limit(
    tmp_path: Path,
) -> None:
    async with scripted_site(long_and_short(3, 20)) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", "--scope", "any", "--max-depth", "3")
        assert ended.status == 0, ended.error
    assert await fetched_to(tmp_path / "c") == chain(3, 3)


@pytest.mark.defect("a shorter path was not followed through several fetched pages")
async def test_d5_a_shorter_path_is_followed_through_several_fetched_pages(tmp_path: Path) -> None:
    async with scripted_site(long_and_short(5, 30)) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", "--scope", "any", "--max-depth", "9")
        assert ended.status == 0, ended.error
        asked = site.paths("chain.test")
    assert await fetched_to(tmp_path / "c") == chain(5, 9)
    assert len(asked) == len(set(asked)), "read from the archive, not fetched again"
    told = await hondius("explain", tmp_path / "c", "http://chain.test/12")
    assert "depth 9" in told.out, told.out
    assert "slow.test" in told.out, told.out


@pytest.mark.defect("a shorter path through a redirect, a copy or a page that may not be kept was lost")
async def test_d5_a_shorter_path_leads_through_redirects_copies_and_pages_that_may_not_be_kept(tmp_path: Path) -> None:
    script = long_and_short(3, 30)
    script["chain.test/4"] = Answer.redirect("/4b")
    script["chain.test/4b"] = Answer.page("/5")
    script["chain.test/5"] = Answer.page("/6", head='<meta name="robots" content="noarchive">')
    script["chain.test/6"] = script["chain.test/7"] = Answer.page("/7", "/8", head="<!-- the same -->")
    async with scripted_site(script) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", "--scope", "any", "--max-depth", "7")
        assert ended.status == 0, ended.error
    depths = await fetched_to(tmp_path / "c")
    # 3 is found at depth 2; the redirect does not count; 8 is linked to by the page before its copy
    expected = {"1": 1, "2": 2, "3": 2, "4": 3, "4b": 3, "5": 4, "6": 5, "7": 6, "8": 6, "9": 7}
    assert depths == expected


@pytest.mark.defect("what a shorter path brought within the limit was lost with a kill")
async def test_d5_a_shorter_path_survives_kills(tmp_path: Path) -> None:
    into = tmp_path / "c"
    async with scripted_site(long_and_short(4, 30)) as site:
        resolve = ("--resolve", f"*.test=127.0.0.1:{site.port}")
        arguments = ("http://a.test/", "--scope", "any", "--max-depth", "8", "--into", into, "--delay", "0", *resolve)
        process = await start_command("crawl", *arguments)
        await until(lambda: "/8" in site.paths("chain.test"))
        for wait in (0.4, LATE + 0.25, LATE + 0.5, LATE + 0.75):
            await asyncio.sleep(wait)
            if process.returncode is None:
                process.kill()
            await process.communicate()
            process = await start_command("resume", into)
        _, error = await asyncio.wait_for(process.communicate(), 30)
        assert process.returncode == 0, error.decode()
    assert await fetched_to(into) == chain(4, 8)


@pytest.mark.defect("a limit that was set on resume counted from depths that were too great")
async def test_d5_a_crawl_without_a_limit_is_resumed_with_one(tmp_path: Path) -> None:
    into = tmp_path / "c"
    async with scripted_site(long_and_short(3, 9)) as site:
        first = await crawl(site, into, "http://a.test/", "--scope", "any")
        assert first.status == 0, first.error
        assert len(await fetched_to(into)) == 10
        again = await hondius("resume", into, "--max-depth", "8", "--json")
        assert again.status == 0, again.error
    depths = await fetched_to(into)
    assert {name: depth for name, depth in depths.items() if name != "10"} == chain(3, 8)


@pytest.mark.defect("a shorter path that was found while a host was on the blacklist was lost when that was lifted")
async def test_d5_a_shorter_path_counts_while_its_host_is_on_the_blacklist(tmp_path: Path) -> None:
    into = tmp_path / "c"
    async with scripted_site(long_and_short(3, 20, slow=4)) as site:
        resolve = ("--resolve", f"*.test=127.0.0.1:{site.port}")
        arguments = ("http://a.test/", "--scope", "any", "--max-depth", "3", "--into", into, "--delay", "0", *resolve)
        process = await start_command("crawl", *arguments)
        await until(lambda: "/3" in site.paths("chain.test"))
        listed = await hondius("blacklist", into, "chain.test")
        assert listed.status == 0, listed.error
        _, error = await asyncio.wait_for(process.communicate(), 30)
        assert process.returncode == 0, error.decode()
        assert site.paths("chain.test") == ["/1", "/2", "/3"]
        lifted = await hondius("blacklist", into, "chain.test", "--lift")
        assert lifted.status == 0, lifted.error
        resumed = await hondius("resume", into)
        assert resumed.status == 0, resumed.error
    assert await fetched_to(into) == chain(3, 3)


@pytest.mark.defect("the refused target of a redirect was recorded one link deeper than the redirect")
async def test_d5_h3_the_refused_target_of_a_redirect_is_no_deeper_than_the_redirect(tmp_path: Path) -> None:
    into = tmp_path / "c"
    moved = Answer(status=301, headers=(("Location", "http://b.test/x"),), delay=4)
    script: Script = {"a.test/": Answer.page("/moved"), "a.test/moved": moved, "b.test/x": Answer.page()}
    async with scripted_site(script) as site:
        resolve = ("--resolve", f"*.test=127.0.0.1:{site.port}")
        process = await start_command(
            "crawl", "http://a.test/", "--scope", "any", "--into", into, "--delay", "0", *resolve
        )
        await until(lambda: "/moved" in site.paths())
        assert (await hondius("blacklist", into, "b.test")).status == 0
        await asyncio.wait_for(process.communicate(), 30)
        assert site.paths("b.test") == []
        assert (await hondius("blacklist", into, "b.test", "--lift")).status == 0
        assert (await hondius("resume", into)).status == 0
    assert (await export_rows(into))["http://b.test/x"]["depth"] == 1


@pytest.mark.defect("what a page had linked to was forgotten when a later try of it failed")
async def test_d5_a_page_that_fails_when_it_is_wanted_again_keeps_its_links(tmp_path: Path) -> None:
    into = tmp_path / "c"
    pages = {f"a.test/{number}": Answer.page(f"/{number + 1}") for number in range(9)}
    script: Script = {**pages, "a.test/3": Answer.redirect("/4"), "a.test/4": Answer.page("/5")}
    async with scripted_site(script) as site:
        ended = await crawl(site, into, "http://a.test/0", "--max-depth", "3")
        assert ended.status == 0, ended.error
        assert site.paths() == ["/0", "/1", "/2", "/3", "/4"]
        script["a.test/2"] = script["a.test/3"] = Answer("gone", 410)
        for url in ("http://a.test/2", "http://a.test/3"):
            assert (await hondius("recrawl", into, url)).status == 0
        resumed = await hondius("resume", into)
        assert resumed.status == 0, resumed.error
        assert sorted(site.paths()[5:]) == ["/2", "/3"], "a page that is fetched again keeps its depth"
        closer = await hondius("resume", into, "http://a.test/2", "http://a.test/3")
        assert closer.status == 0, closer.error
        assert site.paths()[7:] == ["/5", "/6", "/7"]
    rows = await export_rows(into)
    depths = {url.rpartition("/")[2]: row["depth"] for url, row in rows.items()}
    assert depths == {"0": 0, "1": 1, "2": 0, "3": 0, "4": 0, "5": 1, "6": 2, "7": 3}


def depths_of(links: dict[int, list[int]], deepest: int) -> dict[int, int]:
    depths, row = {0: 0}, [0]
    for depth in range(1, deepest + 1):
        row = [target for target in dict.fromkeys(t for page in row for t in links[page]) if target not in depths]
        depths |= dict.fromkeys(row, depth)
    return depths


def random_web(chance: random.Random) -> dict[str, list[str]]:
    """Fast pages, each linked from the one before it, and slow pages near the seed that link far ahead."""
    links: dict[str, list[str]] = {"/0": []}
    for number in range(1, 30):
        links[f"/{max(0, number - chance.choice((1, 1, 1, 2)))}"].append(f"/{number}")
        links[f"/{number}"] = []
    for number in range(4):
        links[f"/{chance.randrange(4)}"].append(f"/slow{number}")
        links[f"/slow{number}"] = [f"/{chance.randrange(5, 30)}" for _ in range(2)]
    return links


def breadth_first(links: dict[str, list[str]], deepest: int) -> dict[str, int]:
    depths, row = {"/0": 0}, ["/0"]
    for depth in range(1, deepest + 1):
        row = [target for target in dict.fromkeys(t for page in row for t in links[page]) if target not in depths]
        depths |= dict.fromkeys(row, depth)
    return depths


@pytest.mark.defect("what --max-depth fetched depended on the order in which pages came")
async def test_d5_on_random_webs_the_set_fetched_is_that_of_breadth_first_search(tmp_path: Path) -> None:
    fetched, expected = [], []
    for seed in range(4):
        links = random_web(random.Random(seed))
        hosts = {path: "slow.test" if "slow" in path else "fast.test" for path in links}
        script: Script = {
            hosts[path] + path: Answer(
                Answer.page(*(f"http://{hosts[target]}{target}" for target in links[path])).body,
                delay=1.0 if "slow" in path else 0.0,
            )
            for path in links
        }
        into = tmp_path / str(seed)
        async with scripted_site(script) as site:
            ended = await crawl(site, into, "http://fast.test/0", "--scope", "any", "--max-depth", "8")
            assert ended.status == 0, ended.error
        rows = await export_rows(into)
        fetched.append({"/" + url.rpartition("/")[2]: row["depth"] for url, row in rows.items()})
        expected.append(breadth_first(links, 8))
    assert fetched == expected
