"""The wall clock of the machine is set while a crawl runs, and between two runs."""

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Request, Script, scripted_site, until
from tests.unshakable.set_clock import SetClock

TWO_DAYS = 2 * 86_400
PAGES: Script = {
    "/": Answer.page("/1", "/2", "/3"),
    **{f"/{number}": Answer.page() for number in range(1, 4)},
}


@pytest.mark.defect("a wall clock that is set back by two days stalls the running crawl")
async def test_p1_a_crawl_goes_on_when_the_wall_clock_is_set_back_under_it(tmp_path: Path) -> None:
    clock = SetClock(tmp_path)

    def first(request: Request) -> Answer:
        clock.set_by(-TWO_DAYS)
        return Answer.page("/1", "/2", "/3")

    async with scripted_site(PAGES | {"/": first}) as site:
        crawl = clock.hondius(
            *("crawl", "http://a.test/", "--into", tmp_path / "crawl", "--json"),
            *("--resolve", f"*.test=127.0.0.1:{site.port}"),
        )
        ended = await crawl
    assert sorted(site.paths()) == ["/", "/1", "/2", "/3"], ended
    assert ended.figures["stop_reason"] == "done"
    assert (await clock.hondius("audit", tmp_path / "crawl")).status == 0


@pytest.mark.defect("after the wall clock was set back by two days every resume waits for two days")
async def test_p1_a_resume_waits_no_longer_than_the_rules_ask_when_the_wall_clock_was_set_back(tmp_path: Path) -> None:
    clock = SetClock(tmp_path)
    async with scripted_site(PAGES) as site:
        await clock.hondius(
            *("crawl", "http://a.test/", "--into", tmp_path / "crawl", "--max-pages", "2", "--json"),
            *("--resolve", f"*.test=127.0.0.1:{site.port}"),
        )
        assert len(site.paths()) == 2
        clock.set_by(-TWO_DAYS)
        ended = await clock.hondius("resume", tmp_path / "crawl", "--max-pages", "100", "--json")
    assert sorted(site.paths()) == ["/", "/1", "/2", "/3"], ended
    starts = [request.at for request in site.requests]
    assert all(after - before >= 1.0 for before, after in pairwise(starts))


@pytest.mark.defect("`audit` calls a wall clock that was set back a violation")
async def test_p7_an_audit_does_not_call_a_clock_that_was_set_back_a_violation(tmp_path: Path) -> None:
    clock = SetClock(tmp_path)
    async with scripted_site(PAGES) as site:
        await clock.hondius(
            *("crawl", "http://a.test/", "--into", tmp_path / "crawl", "--json"),
            *("--resolve", f"*.test=127.0.0.1:{site.port}"),
        )
        clock.set_by(-TWO_DAYS)
        await clock.hondius("resume", tmp_path / "crawl", "http://b.test/", "--json")
        assert len(site.paths("b.test")) == 4
    audited = await clock.hondius("audit", tmp_path / "crawl")
    assert audited.status == 0, audited.out


@pytest.mark.defect("`status` of a running crawl takes a pause that is over for one of two days")
async def test_o1_status_counts_pauses_by_the_clock_of_the_crawl(tmp_path: Path) -> None:
    """The wall clock is set back by two days while a host is paused for a few seconds."""
    clock, directory = SetClock(tmp_path), tmp_path / "crawl"
    told: list[list[str]] = []

    async with scripted_site({"/": Answer.page(*(f"/{number}" for number in range(40)))}, Answer.page()) as site:
        crawl = asyncio.create_task(
            clock.hondius(
                *("crawl", "http://a.test/", "--into", directory, "--json", "--delay", "0.5", "--scope", "any"),
                *("--resolve", f"*.test=127.0.0.1:{site.port}"),
                seconds=20,
            )
        )
        await until(lambda: len(site.requests) > 2)
        await clock.hondius("pause", directory, "b.test", "--for", "6s")
        clock.set_by(-TWO_DAYS)
        while told[-2:] != [["b.test"], []] and not crawl.done():
            status = await clock.hondius("status", directory, "--json")
            if status.figures["running"]:
                told.append(status.figures["paused"])
        await crawl
    assert told[-2:] == [["b.test"], []]
