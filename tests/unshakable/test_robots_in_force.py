"""Which robots.txt is in force, and what its verdicts cost (B2, F7, P1, P3)."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.journeys.scripted_site import (
    Answer,
    Request,
    Script,
    crawl,
    export_rows,
    hondius,
    scripted_site,
    start_command,
    until,
)
from tests.unshakable.names import find
from tests.unshakable.patched_command import hondius_with
from tests.unshakable.repository import python


@pytest.mark.defect("URLs of an origin whose robots.txt had left the memory ended as blocked", inside=True)
async def test_f7_a_robots_that_has_left_the_memory_ends_no_url(tmp_path: Path) -> None:
    """All hosts get their answers at the same time, so all are handed out at the same time again."""
    pages = [f"/{number}" for number in range(5)]

    def at_the_full_second(request: Request) -> Answer:
        page = Answer.page(*pages) if request.path == "/" else Answer.page()
        return replace(page, delay=1.0 - time.time() % 1.0)

    script: Script = dict.fromkeys(["/", *pages], at_the_full_second)
    script["/robots.txt"] = Answer.robots("User-agent: *\nDisallow: /private\n")
    hosts = [f"http://h{number}.test/" for number in range(60)]
    async with scripted_site(script) as site:
        arguments = ["crawl", *hosts, "--into", str(tmp_path / "c"), "--delay", "0", "--json"]
        arguments += ["--set", "scope.sitemaps=false", "--set", "politeness.address_concurrency=1000"]
        arguments += ["--resolve", f"*.test=127.0.0.1:{site.port}"]
        ended = await hondius_with("hondius.crawler.politeness.robots", "MOST_ORIGINS", 20, *arguments)
    assert ended.status == 0, ended.error
    assert (ended.figures["blocked"], ended.figures["pages"]) == (0, 360)


@pytest.mark.defect("each URL that robots.txt forbids cost its address a tenth of a second")
async def test_p3_b4_urls_that_robots_forbids_cost_no_time(tmp_path: Path) -> None:
    links = [f"/private/{number}" for number in range(200)]
    script: Script = {"/": Answer.page(*links), "/robots.txt": Answer.robots("User-agent: *\nDisallow: /private/\n")}
    async with scripted_site(script) as site:
        began = time.monotonic()
        ended = await crawl(site, tmp_path / "c", "http://a.test/", delay="0.5")
        took = time.monotonic() - began
        assert site.paths() == ["/"]
    assert ended.figures["blocked"] == 200
    assert took < 12.0


@pytest.mark.defect("a Crawl-delay above a minute was cut to a minute", minutes=True)
async def test_p1_a_crawl_delay_of_more_than_a_minute_is_kept(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page("/1"), "/robots.txt": Answer.robots("User-agent: *\nCrawl-delay: 75\n")}
    async with scripted_site(script) as site:
        resolve = ("--resolve", f"*.test=127.0.0.1:{site.port}")
        process = await start_command(
            "crawl", "http://a.test/", "--into", tmp_path / "c", *resolve, "--max-time", "100"
        )
        try:
            await until(lambda: len(site.requests) == 2, 95)
            robots, page = site.requests
            assert page.at - robots.at >= 75.0
        finally:
            process.terminate()
            await asyncio.wait_for(process.communicate(), 30)


@pytest.mark.defect("a good robots.txt that could not be had again for 30 days was in force no more", inside=True)
async def test_b2_a_good_robots_stays_in_force_after_a_year_of_failures() -> None:
    from hondius.model import RobotsCopy

    judge_robots = find("hondius.crawler.politeness.robots", "judge_robots", "judged")
    body, day = b"User-agent: *\nDisallow: /private\n", 86_400.0
    copy = RobotsCopy("http://a.test", 0.0, "parsed", 200, day, body, 0.0)
    for number in range(1, 365):
        copy = judge_robots("http://a.test", None, copy, number * day, "nobody answers")
    assert (copy.outcome, copy.good_at, copy.body) == ("unreachable", 0.0, body)


TOO_FAST = """
import sys
from pathlib import Path
from tests.use.planted_crawl import PlantedCrawl
planted = PlantedCrawl(Path(sys.argv[1]))
planted.robots("http://a.test", 1.0, "User-agent: *\\nCrawl-delay: 600\\n")
planted.page("http://a.test/", 101.0)
planted.written()
"""
"""A crawl written by hand, by each build's own tests: a page 100 s after a robots.txt that asks for 600 s."""


@pytest.mark.defect(
    "the audit used the crawler's own cap on Crawl-delay and could not see that it was faster", inside=True
)
async def test_p7_the_audit_sees_a_request_that_comes_faster_than_a_long_crawl_delay(tmp_path: Path) -> None:
    said = await python("-c", TOO_FAST, tmp_path)
    audited = await hondius("audit", tmp_path, "--json")
    assert audited.out, said + audited.error
    tallies = audited.figures["tallies"]
    assert [tally["kind"] for tally in tallies if tally["violations"]] == ["crawl_delay"]
    assert audited.status == 1


@pytest.mark.defect("the summary said nothing of a host that asks for hours between two requests")
async def test_p1_the_summary_names_a_host_that_wants_more_than_an_hour(tmp_path: Path) -> None:
    script: Script = {"/": Answer.page(), "/robots.txt": Answer.robots("User-agent: *\nCrawl-delay: 7200\n")}
    async with scripted_site(script) as site:
        resolve = ("--resolve", f"*.test=127.0.0.1:{site.port}")
        process = await start_command("crawl", "http://a.test/", "--into", tmp_path / "c", *resolve, "--max-time", "5")
        out, _ = await asyncio.wait_for(process.communicate(), 60)
    assert "a.test is crawled slowly: its robots.txt asks for 2 h 0 min between two requests" in out.decode()


@pytest.mark.defect(
    "a host that waited for its Crawl-delay alone did not keep the crawl going where another waited, too"
)
async def test_f9_the_pace_of_a_host_is_no_wait_that_ends_the_crawl(tmp_path: Path) -> None:
    """The robots.txt of the other host is unreachable, and is retried before the first host is due."""
    slowly = replace(Answer.robots("User-agent: *\nCrawl-delay: 90\n"), delay=0.4)
    script: Script = {"/": Answer.page(), "a.test/robots.txt": slowly, "b.test/robots.txt": Answer("sorry", 500)}
    async with scripted_site(script) as site:
        seeds = ("http://a.test/", "http://b.test/")
        ended = await crawl(site, tmp_path / "c", *seeds, "--max-time", "8", delay="1")
    assert ended.figures["stop_reason"] == "max_time"


def _fails(request: Request) -> Answer:
    return Answer("sorry", 500)


@pytest.mark.defect("a host's error rate could never pass one half")
async def test_s2_a_host_of_which_every_answer_is_a_failure_has_an_error_rate_of_one(tmp_path: Path) -> None:
    import sqlite3

    async with scripted_site({"/": _fails}) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", "--set", "scope.sitemaps=false")
    assert ended.figures["failed"] == 1
    with sqlite3.connect(tmp_path / "c" / "crawl.db") as database:
        (rate,) = database.execute("SELECT error_rate FROM hosts").fetchone()
    assert rate == 1.0


@pytest.mark.defect("a host whose name DNS cannot have was looked up again in every run")
async def test_n1_f7_a_name_that_dns_cannot_have_ends_its_urls_at_once(tmp_path: Path) -> None:
    """No build sends a DNS query for this name: it is too long for one."""
    label = "a" * 64
    href = f"http://{label}.home.arpa/"
    async with scripted_site({}) as site:
        ended = await crawl(site, tmp_path / "c", href)
    assert ended.figures["stop_reason"] == "done"
    row = (await export_rows(tmp_path / "c"))[href]
    assert (row["state"], row["cause"]) == ("failed", "dns_impossible")
