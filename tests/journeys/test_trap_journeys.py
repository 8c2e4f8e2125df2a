"""Webs without an end: a crawl of them ends, and every honest page of the same hosts is fetched (F6, D5)."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.journeys.scripted_site import (
    MISSING,
    Answer,
    Request,
    Script,
    ScriptedSite,
    crawl,
    export_rows,
    hondius,
    scripted_site,
)

HONEST = tuple(f"/about/{word}" for word in "us jobs press team history".split())
Maze = Callable[[Request], Answer]


def settings(**traps: int) -> list[str]:
    return [word for name, value in traps.items() for word in ("--set", f"{name.replace('__', '.')}={value}")]


def with_honest_pages(maze: Maze) -> Maze:
    def answer(request: Request) -> Answer:
        if request.path in ("/robots.txt", "/sitemap.xml"):
            return MISSING
        return Answer.page("/", head=request.path) if request.path in HONEST else maze(request)

    return answer


def numbered(request: Request) -> int:
    """The first number of the path."""
    return int(re.findall(r"\d+", request.path)[0])


def causes(rows: dict[str, dict[str, Any]]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for row in rows.values():
        if row["state"] == "refused":
            counted[row["cause"]] = counted.get(row["cause"], 0) + 1
    return counted


def assert_honest(site: ScriptedSite) -> None:
    assert set(HONEST) <= set(site.paths())


async def explain_url(directory: Path, url: str) -> dict[str, Any]:
    ended = await hondius("explain", directory, url, "--json")
    facts: dict[str, Any] = json.loads(ended.out)
    return facts


async def test_f6_an_endless_calendar_ends_two_years_ahead(tmp_path: Path) -> None:
    def calendar(request: Request) -> Answer:
        year, month = map(int, request.path.split("/")[2:4])
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)
        return Answer.page(f"/calendar/{year}/{month:02}", head=request.path)

    start = Answer.page("/calendar/2026/01", *HONEST)
    async with scripted_site({"/": start}, with_honest_pages(calendar)) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/")
    assert ended.figures["stop_reason"] == "done"
    assert_honest(site)
    rows = await export_rows(tmp_path / "c")
    assert causes(rows) == {"future_date": 1}
    last = next(row for row in rows.values() if row["cause"] == "future_date")
    facts = await explain_url(tmp_path / "c", last["url"])
    assert facts["ending"]["detail"] == "a date more than 2 years ahead"


async def test_f6_endless_urls_of_one_shape_are_cut_and_survive_a_rebuild(tmp_path: Path) -> None:
    def endless(request: Request) -> Answer:
        number = numbered(request)
        return Answer.page(*(f"/item/{number + step}?s={number:08x}" for step in range(1, 7)))

    arguments = settings(traps__max_urls_per_shape=40, traps__kept_refusals=10)
    start = Answer.page("/item/1?s=00000001", *HONEST)
    async with scripted_site({"/": start}, with_honest_pages(endless)) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", *arguments)
    assert ended.figures["stop_reason"] == "done"
    assert len([path for path in site.paths() if path.startswith("/item")]) == 40
    assert_honest(site)
    assert causes(await export_rows(tmp_path / "c")) == {"shape": 10}
    assert ended.figures["refused_more"] > 0
    before = await explain_url(tmp_path / "c", "http://a.test/item/9999?s=0123abcd")
    assert before["budget"]["shape"] == "/item/0?s=0"
    assert before["budget"]["urls_of_shape"] == [40, 40]
    assert before["budget"]["refused_more"] == {"shape": ended.figures["refused_more"]}
    assert before["summary"] == "it is unknown to the crawl; a link to it would be refused: shape"
    assert (await hondius("rebuild", tmp_path / "c")).status == 0
    assert (await explain_url(tmp_path / "c", "http://a.test/item/9999?s=0123abcd"))["budget"] == before["budget"]
    assert (await hondius("verify", tmp_path / "c")).status == 0


async def test_f6_a_shape_that_brings_nothing_new_loses_its_budget_and_can_be_brought_back(tmp_path: Path) -> None:
    start = Answer.page(*(f"/session/{number:032x}/view" for number in range(300)), *HONEST)
    same = replace(Answer.page("/"), delay=0.03)  # so that the verdict, a commit later, comes in time
    commit_often = ("--set", "stores.commit_interval=0.01")
    async with scripted_site({"/": start}, with_honest_pages(lambda request: same)) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", *settings(traps__stale_fetches=10), *commit_often)
        asked = [path for path in site.paths() if path.startswith("/session")]
        assert ended.figures["stop_reason"] == "done"
        assert_honest(site)
        # The first is new, ten are copies; then some until the verdict is applied, and a trickle.
        assert 11 <= len(asked) < 150
        refused = causes(await export_rows(tmp_path / "c"))
        assert refused == {"no_novelty": 300 - len(asked)}
        told = await hondius("recrawl", tmp_path / "c", "--refused", "no_novelty")
        assert told.out.startswith(f"{refused['no_novelty']} URLs queued again")
        await hondius("resume", tmp_path / "c", "--json")
        assert len({path for path in site.paths() if path.startswith("/session")}) == 300


async def test_d5_endless_hosts_of_a_domain_are_limited_and_the_rest_waits(tmp_path: Path) -> None:
    def farm(request: Request) -> Answer:
        number = int(re.sub(r"\D", "", request.host) or 0)
        hosts = [f"http://h{next_one}.farm.test/" for next_one in range(number + 1, number + 4)]
        return Answer.page(*hosts, *HONEST) if request.path == "/" else Answer.page("/", head=request.path)

    arguments = ["--scope", "any", *settings(scope__max_hosts_per_domain=6)]
    async with scripted_site({}, farm) as site:
        ended = await crawl(site, tmp_path / "c", "http://h0.farm.test/", *arguments)
        hosts = {request.host for request in site.requests}
        assert ended.figures["stop_reason"] == "max_hosts_per_domain"
        assert len(hosts) == 6
        assert all(set(HONEST) <= set(site.paths(host)) for host in hosts)
        await hondius("resume", tmp_path / "c", "--set", "scope.max_hosts_per_domain=8", "--json")
        assert len({request.host for request in site.requests}) == 8
    assert (await hondius("verify", tmp_path / "c")).status == 0


async def test_f6_a_flood_of_refused_links_is_counted_and_the_first_are_kept(tmp_path: Path) -> None:
    start = Answer.page(*(f"/a/a/a/{number}" for number in range(500)), *HONEST)
    async with scripted_site({"/": start}, with_honest_pages(lambda request: Answer.page("/"))) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", *settings(traps__kept_refusals=20))
    assert ended.figures["refused_more"] == 480
    assert causes(await export_rows(tmp_path / "c")) == {"repeated_segments": 20}
    assert_honest(site)
    status = json.loads((await hondius("status", tmp_path / "c", "--json")).out)
    assert status["refused_more"] == 480


async def test_f6_links_above_the_discovery_rate_are_fetched_later_not_lost(tmp_path: Path) -> None:
    start = Answer.page(*(f"/item/{number}" for number in range(60)), *HONEST)
    arguments = settings(traps__max_new_per_minute=10)
    async with scripted_site({"/": start}, with_honest_pages(lambda request: Answer.page(head=request.path))) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", *arguments)
    assert (ended.figures["stop_reason"], ended.figures["pages"]) == ("done", 66)
    assert_honest(site)


CHAIN: Script = {f"/{n or ''}": Answer.page(f"/{n + 1}", f"http://b.a.test/{n or ''}") for n in range(9)}


async def test_d5_pages_a_domain_are_limited_and_the_rest_stays_queued(tmp_path: Path) -> None:
    arguments = ["--scope", "domain", *settings(scope__max_pages_per_domain=7)]
    async with scripted_site(CHAIN) as site:
        first = await crawl(site, tmp_path / "c", "http://a.test/", *arguments)
        assert first.figures["stop_reason"] == "max_pages_per_domain"
        assert 5 <= len(site.paths()) <= 7
        again = await hondius("resume", tmp_path / "c", "--set", "scope.max_pages_per_domain=100", "--json")
    assert (again.figures["stop_reason"], again.figures["pages"]) == ("done", 18)


async def test_d5_hosts_at_an_address_are_limited_and_the_rest_waits(tmp_path: Path) -> None:
    start = Answer.page(*(f"http://h{number}.test/x" for number in range(8)))
    arguments = ["--scope", "any", *settings(scope__max_hosts_per_address=4)]
    async with scripted_site({"/": start, "/x": Answer.page()}) as site:
        first = await crawl(site, tmp_path / "c", "http://a.test/", *arguments)
        assert first.figures["stop_reason"] == "max_hosts_per_address"
        assert len({request.host for request in site.requests}) == 4
        again = await hondius("resume", tmp_path / "c", "--set", "scope.max_hosts_per_address=100", "--json")
    assert again.figures["stop_reason"] == "done"
    assert len({request.host for request in site.requests}) == 9


async def test_d2_sitemap_files_are_no_pages_and_an_index_that_never_ends_is_cut(tmp_path: Path) -> None:
    def endless(request: Request) -> Answer:
        number = numbered(request)
        children = "".join(
            f"<sitemap><loc>http://a.test/map-{n}.xml</loc></sitemap>" for n in range(10 * number, 10 * number + 10)
        )
        return Answer(f"<sitemapindex>{children}</sitemapindex>", headers=(("Content-Type", "application/xml"),))

    script: Script = {
        "/": Answer.page(*HONEST),
        "/robots.txt": Answer.robots("Sitemap: http://a.test/map-1.xml"),
    }
    arguments = settings(traps__max_sitemaps_per_host=12, traps__kept_refusals=5)
    async with scripted_site(script, with_honest_pages(endless)) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", *arguments)
    assert len([path for path in site.paths() if path.startswith("/map")]) == 12
    assert ended.figures["pages"] == 1 + len(HONEST)
    assert_honest(site)
    rows = await export_rows(tmp_path / "c")
    assert causes(rows) == {"too_many_sitemaps": 5}


async def test_o1_a_lifted_domain_gets_its_refused_urls_back(tmp_path: Path) -> None:
    script: Script = {
        "/": Answer.page("http://b.test/one", "http://sub.b.test/two"),
        "/one": Answer.page("/deep", head="one"),
        "/two": Answer.page(head="two"),
        "/deep": Answer.page(head="deep"),
    }
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--scope", "any", "--max-depth", "1", "--max-pages", "1")
        await hondius("blacklist", tmp_path / "c", "b.test")
        await hondius("resume", tmp_path / "c", "--max-pages", "100", "--json")
        assert site.paths() == ["/"]
        lifted = await hondius("blacklist", tmp_path / "c", "b.test", "--lift")
        assert "2 URLs queued again" in lifted.out
        assert (await hondius("verify", tmp_path / "c")).status == 0
        await hondius("resume", tmp_path / "c", "--json")
    assert sorted(site.paths()) == ["/", "/one", "/two"]
    assert causes(await export_rows(tmp_path / "c")) == {}


async def test_o1_a_lifted_domain_gets_its_refused_sitemaps_back(tmp_path: Path) -> None:
    xml = (("Content-Type", "application/xml"),)
    script: Script = {
        "a.test/": Answer.page(),
        "a.test/robots.txt": Answer.robots("Sitemap: http://b.test/map.xml"),
        "b.test/map.xml": Answer("<urlset><url><loc>http://a.test/listed</loc></url></urlset>", headers=xml),
        "a.test/listed": Answer.page(head="listed"),
    }
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--max-pages", "1")
        await hondius("blacklist", tmp_path / "c", "b.test")
        await hondius("resume", tmp_path / "c", "--max-pages", "100", "--json")
        assert "/map.xml" not in site.paths("b.test")
        lifted = await hondius("blacklist", tmp_path / "c", "b.test", "--lift")
        assert "1 URL queued again" in lifted.out
        assert (await hondius("verify", tmp_path / "c")).status == 0
        await hondius("resume", tmp_path / "c", "--json")
    assert "/map.xml" in site.paths("b.test")
    assert "/listed" in site.paths("a.test")
