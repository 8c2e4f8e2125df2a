"""F4: a URL that was handed out and of which nobody hears any more goes back."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from hondius.clock import SystemClock
from hondius.crawler.assemble import real_surroundings, running
from hondius.crawler.fetch import Submission
from hondius.crawler.opening import open_stores
from hondius.crawler.run import LEASE
from hondius.crawler.seeds import seeds_from_arguments
from hondius.crawler.translation import make_identity
from hondius.settings import settings_from
from tests.journeys.scripted_site import Answer, scripted_site


class LeapingClock(SystemClock):
    """As the system's, but for what it was moved by."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def now(self) -> float:
        return time.time() + self.ahead


class ForgetfulEngine:
    """Never answers the first request for a page; by the time it has forgotten that, a lease is over."""

    def __init__(self, engine: Any, clock: LeapingClock) -> None:
        self._engine = engine
        self._clock = clock

    def submit(self, requests: Sequence[Submission]) -> None:
        if not self._clock.ahead and any(kind == "page" for *_, kind, _ in requests):
            self._clock.ahead = LEASE + 1.0
            requests = [request for request in requests if request[4] != "page"]
        self._engine.submit(requests)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


async def test_f4_a_lease_that_ends_gives_the_url_and_the_turn_back(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(scripted_site({"/": Answer.page("/1"), "/1": Answer.page()}))
        resolve = [f"*.test=127.0.0.1:{site.port}"]
        settings = settings_from({"politeness": {"delay": 0.0}, "fetch": {"resolve": resolve}})
        real, clock = real_surroundings(tmp_path, settings), LeapingClock()

        def forgetful(*arguments: Any) -> Any:
            return ForgetfulEngine(real.make_engine(*arguments), clock)

        stores = open_stores(stack, tmp_path, settings)
        seeds = seeds_from_arguments(["http://a.test/"], make_identity(settings))
        surroundings = replace(real, clock=clock, make_engine=forgetful)
        crawl = await stack.enter_async_context(running(stores, settings, seeds, surroundings))
        assert await asyncio.wait_for(crawl.run.until_over(), 20) == "done"
        assert crawl.statistics.retries["lease_ended"] == 1
        assert (crawl.statistics.pages, site.paths()) == (2, ["/", "/1"])
