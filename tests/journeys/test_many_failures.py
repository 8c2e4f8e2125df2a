"""P5: each URL has its tries, however many fail at once, and whoever is killed meanwhile."""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from hondius.crawler.assemble import assemble_crawl, make_surroundings
from hondius.crawler.frontier.retries import AT_ONCE
from hondius.crawler.seeds import make_source, parse_arguments
from hondius.crawler.store_opening import open_stores
from hondius.crawler.translation import make_identity
from hondius.opening import place_of
from hondius.settings import make_settings
from tests.journeys.scripted_site import Answer, ScriptedSite, scripted_site, until

MOST = 5
URLS = [f"http://h{number % 20}.test/{number}" for number in range(400)]


async def test_p5_each_of_many_failing_urls_has_its_four_tries_and_memory_holds_a_few(tmp_path: Path) -> None:
    async with scripted_site({"/robots.txt": Answer("", 404)}, Answer("sorry", 500)) as site:
        await _run(site, tmp_path, URLS, 300)
        await _run(site, tmp_path, [], None)
        asked = Counter(request.host.partition(":")[0] + request.path for request in site.requests)
    pages = {name: count for name, count in asked.items() if not name.endswith("/robots.txt")}
    assert pages == {url.removeprefix("http://"): 4 for url in URLS}


async def _run(site: ScriptedSite, directory: Path, seeds: list[str], enough: int | None) -> None:
    """To its end, or until so many requests were seen."""
    settings = make_settings(
        {
            "politeness": {"delay": 0.0, "circuit_failures": 1_000},
            "scope": {"scope": "any", "sitemaps": False},
            "fetch": {"resolve": [f"*.test=127.0.0.1:{site.port}"], "concurrency": 4},
        }
    )
    async with AsyncExitStack() as stack:
        stores = open_stores(stack, place_of(directory), settings)
        given = make_source(list(parse_arguments(seeds, make_identity(settings))))
        surroundings = replace(make_surroundings(directory, settings), most_retries=MOST)
        crawl = await stack.enter_async_context(assemble_crawl(stores, settings, given, surroundings))
        run = asyncio.create_task(crawl.run.run_until_over())
        await until(lambda: run.done() or (enough is not None and len(site.requests) >= enough), 60)
        crawl.run.stop("interrupted")
        await asyncio.wait_for(run, 60)
        assert len(crawl.frontier._retries) <= MOST + AT_ONCE
        assert enough is not None or not crawl.frontier._retries.has_all
