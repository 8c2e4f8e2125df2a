"""F4: what was handed to the engine comes back, and its host is free when the engine has confirmed that it is over."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hondius.crawler.assemble import OpenCrawl, assemble_crawl, make_surroundings
from hondius.crawler.fetch import Submission
from hondius.crawler.seeds import make_source, parse_arguments
from hondius.crawler.store_opening import open_stores
from hondius.crawler.translation import make_identity
from hondius.native import read_attempts
from hondius.opening import place_of
from hondius.settings import make_settings
from tests.journeys.scripted_site import Answer, ScriptedSite, scripted_site, until


class ForgetfulEngine:
    """Forgets the first request of a kind, and the first name, before anything is done about them."""

    def __init__(self, engine: Any, forgets: str) -> None:
        self._engine = engine
        self._forgets = forgets
        self.cancelled: list[tuple[str, str]] = []

    def submit(self, requests: Sequence[Submission], within: float | None = None) -> None:
        kept = [request for request in requests if request[4] != self._forgets]
        if len(kept) < len(requests):
            self._forgets = ""
        self._engine.submit(kept, within)

    def resolve(self, requests: Sequence[tuple[int, str]]) -> None:
        if self._forgets == "name":
            self._forgets, requests = "", requests[1:]
        self._engine.resolve(requests)

    def cancel(self, requests: Sequence[Submission], cause: str) -> None:
        self.cancelled += [(request[4], cause) for request in requests]
        self._engine.cancel(requests, cause)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


async def opened(
    stack: AsyncExitStack, site: ScriptedSite, directory: Path, wrapped: Callable[[Any], Any], total_timeout: float
) -> OpenCrawl:
    fetch = {"resolve": [f"*.test=127.0.0.1:{site.port}"], "total_timeout": total_timeout}
    settings = make_settings({"politeness": {"delay": 0.0}, "fetch": fetch, "scope": {"sitemaps": False}})
    real = make_surroundings(directory, settings)
    stores = open_stores(stack, place_of(directory), settings)
    seeds = make_source(parse_arguments(["http://a.test/"], make_identity(settings)))
    surroundings = replace(real, make_engine=lambda *arguments: wrapped(real.make_engine(*arguments)))
    return await stack.enter_async_context(assemble_crawl(stores, settings, seeds, surroundings))


@pytest.fixture
def short_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hondius.crawler.fetch.fetcher.LEASE_MARGIN", 0.1)
    monkeypatch.setattr("hondius.crawler.fetch.fetcher.NAME_LEASE", 0.1)


@pytest.mark.usefixtures("short_leases")
async def test_f4_a_request_that_never_comes_back_is_a_failed_fetch_and_is_tried_again(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(scripted_site({"/": Answer.page("/1"), "/1": Answer.page()}))
        crawl = await opened(stack, site, tmp_path, lambda engine: ForgetfulEngine(engine, "page"), 0.2)
        assert await asyncio.wait_for(crawl.run.run_until_over(), 20) == "done"
        assert crawl.statistics.retries["lease_ended"] == 1
        assert (crawl.statistics.pages, site.paths()) == (2, ["/", "/1"])


@pytest.mark.usefixtures("short_leases")
async def test_f4_b2_a_robots_that_never_comes_back_cannot_be_had(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(scripted_site({"/": Answer.page()}))
        crawl = await opened(stack, site, tmp_path, lambda engine: ForgetfulEngine(engine, "robots"), 0.2)
        assert await asyncio.wait_for(crawl.run.run_until_over(), 20) == "waiting"
        assert "robots.txt cannot be fetched" in crawl.statistics.waiting["http://a.test"]
        assert not crawl.hosts.get("a.test").busy
        assert site.requests == []


@pytest.mark.usefixtures("short_leases")
async def test_f4_n1_a_name_that_is_never_answered_is_tried_again(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(scripted_site({"/": Answer.page()}))
        crawl = await opened(stack, site, tmp_path, lambda engine: ForgetfulEngine(engine, "name"), 10.0)
        assert await asyncio.wait_for(crawl.run.run_until_over(), 20) == "waiting"
        assert crawl.statistics.waiting["http://a.test"].startswith("lease_ended: ")


async def test_f4_p7_what_is_under_way_when_a_run_ends_is_over_before_anything_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hondius.crawler.run.drain.DRAIN_INTERRUPTED", 0.1)
    engines: list[ForgetfulEngine] = []

    def watched(engine: Any) -> ForgetfulEngine:
        engines.append(ForgetfulEngine(engine, ""))
        return engines[0]

    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(scripted_site({"/": Answer("slow", delay=30.0)}))
        crawl = await opened(stack, site, tmp_path, watched, 60.0)
        ending = asyncio.create_task(crawl.run.run_until_over())
        await until(lambda: site.paths() == ["/"])
        crawl.run.stop("interrupted")
        assert await asyncio.wait_for(ending, 5) == "interrupted"
        assert [cause for _, cause in engines[0].cancelled] == ["cancelled"]
        assert not crawl.hosts.get("a.test").busy
        attempts, _ = read_attempts((tmp_path / "log" / "attempts-00000001").read_bytes())
        assert [attempt.ended for attempt in attempts] == [False, True, False, True]


async def test_o1c_who_interrupts_a_run_that_a_limit_ends_does_not_wait_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hondius.crawler.run.drain.DRAIN", 20.0)
    monkeypatch.setattr("hondius.crawler.run.drain.DRAIN_INTERRUPTED", 0.1)
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(scripted_site({"/": Answer("slow", delay=30.0)}))
        crawl = await opened(stack, site, tmp_path, lambda engine: ForgetfulEngine(engine, ""), 60.0)
        ending = asyncio.create_task(crawl.run.run_until_over())
        await until(lambda: site.paths() == ["/"])
        crawl.run.stop("max_time")
        done, _ = await asyncio.wait([ending], timeout=0.5)
        assert not done
        crawl.run.stop("interrupted")
        assert await asyncio.wait_for(ending, 5) == "max_time"
