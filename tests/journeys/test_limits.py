"""Where a crawl stops by itself, and how it goes on."""

import asyncio
import signal
from pathlib import Path

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

CHAIN: Script = {**{f"/{n or ''}": Answer.page(f"/{n + 1}") for n in range(9)}, "/9": Answer.page()}


async def test_f9_max_pages_stops_with_0_and_a_raised_limit_goes_on(tmp_path: Path) -> None:
    async with scripted_site(CHAIN) as site:
        first = await crawl(site, tmp_path / "c", "http://a.test/", "--max-pages", "3")
        assert (first.status, first.figures["pages"], first.figures["stop_reason"]) == (0, 3, "max_pages")
        again = await hondius("resume", tmp_path / "c", "--max-pages", "100", "--json")
    assert (again.status, again.figures["pages"], again.figures["stop_reason"]) == (0, 10, "done")
    assert sorted(site.paths()) == sorted(CHAIN)


async def test_d5_links_beyond_the_depth_are_parked_and_taken_up_when_it_is_raised(tmp_path: Path) -> None:
    async with scripted_site(CHAIN) as site:
        await crawl(site, tmp_path / "c", "http://a.test/", "--max-depth", "2")
        assert site.paths() == ["/", "/1", "/2"]
        again = await hondius("resume", tmp_path / "c", "--max-depth", "4", "--json")
    assert again.figures["pages"] == 5
    assert site.paths() == ["/", "/1", "/2", "/3", "/4"]


async def test_d5_pages_a_host_are_limited_and_the_rest_stays_queued(tmp_path: Path) -> None:
    async with scripted_site(CHAIN) as site:
        first = await crawl(site, tmp_path / "c", "http://a.test/", "--max-pages-per-host", "4")
        assert first.figures["stop_reason"] == "max_pages_per_host"
        again = await hondius("resume", tmp_path / "c", "--max-pages-per-host", "100", "--json")
    assert again.figures["pages"] == 10


async def test_f9_resume_takes_new_seeds(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page(), "/island": Answer.page("/cave"), "/cave": Answer.page()}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
        again = await hondius("resume", tmp_path / "c", "http://b.test/island", "--json")
    assert (again.status, again.figures["pages"]) == (0, 3)
    assert site.paths("b.test") == ["/island", "/cave"]


async def test_the_same_command_again_asks_for_nothing_twice(tmp_path: Path) -> None:
    async with scripted_site(CHAIN) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
        again = await crawl(site, tmp_path / "c", "http://a.test/")
    assert (again.status, again.figures["stop_reason"]) == (0, "done")
    assert len(site.paths()) == 10


async def test_o1c_the_first_interrupt_drains_and_exits_130_resumable(tmp_path: Path) -> None:
    slow: Script = {f"/{n or ''}": Answer(Answer.page(f"/{n + 1}").body, delay=0.05) for n in range(30)}
    async with scripted_site(slow) as site:
        process = await start_command(
            "crawl",
            "http://a.test/",
            "--into",
            tmp_path / "c",
            "--delay",
            "0",
            "--resolve",
            f"*.test=127.0.0.1:{site.port}",
        )
        await until(lambda: len(site.paths()) >= 3)
        process.send_signal(signal.SIGINT)
        _, error = await asyncio.wait_for(process.communicate(), 20)
        assert process.returncode == 130
        assert b"Traceback" not in error
        again = await hondius("resume", tmp_path / "c", "--json")
        assert again.figures["stop_reason"] == "done"
    assert len(site.paths()) == len(set(site.paths())) == 31
    assert len(await export_rows(tmp_path / "c")) == 31


async def test_r4_a_url_that_is_fetched_anew_is_counted_once(tmp_path: Path) -> None:
    async with scripted_site({"/": Answer.page("/1"), "/1": Answer.page()}) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
        await hondius("recrawl", tmp_path / "c", "http://a.test/1")
        again = await hondius("resume", tmp_path / "c", "--json")
    assert (again.figures["pages"], again.figures["pages_this_run"]) == (2, 1)
    assert again.figures["states"]["completed"] == 2
