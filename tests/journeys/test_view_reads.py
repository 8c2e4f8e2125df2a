"""Who reads the partition's view while a crawl runs: never the event loop, and in a first run nobody."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hondius.crawler.assemble import OpenCrawl, assemble_crawl, make_surroundings
from hondius.crawler.politeness import Host, Hosts
from hondius.crawler.seeds import make_source, parse_arguments
from hondius.crawler.store_opening import open_stores
from hondius.crawler.translation import make_identity
from hondius.crawler.view_reads import ViewReads
from hondius.opening import place_of
from hondius.settings import make_settings
from tests.journeys.scripted_site import Answer, ScriptedSite, scripted_site
from tests.off_loop import ReadOnTheLoop

HOSTS = 300


@asynccontextmanager
async def opened(site: ScriptedSite, directory: Path, seeds: Sequence[str] = ()) -> AsyncIterator[OpenCrawl]:
    settings = make_settings(
        {
            "politeness": {"delay": 0.0, "address_concurrency": 1_000},
            "fetch": {"resolve": [f"*.test=127.0.0.1:{site.port}"]},
            "scope": {"scope": "any", "sitemaps": False, "max_hosts_per_address": 1_000},
        }
    )
    async with AsyncExitStack() as stack:
        stores = open_stores(stack, place_of(directory), settings)
        given = make_source(parse_arguments(list(seeds), make_identity(settings))) if seeds else None
        real = make_surroundings(directory, settings)
        yield await stack.enter_async_context(assemble_crawl(stores, settings, given, real))


def counted_questions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many questions went to the view in each hop."""
    hops: list[int] = []
    read = ViewReads._read

    def counted(reads: ViewReads) -> None:
        hops.append(len(reads._waiting))
        read(reads)

    monkeypatch.setattr(ViewReads, "_read", counted)
    return hops


async def test_a_first_run_reads_nothing_and_the_next_reads_many_hosts_in_one_hop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"http://h{number}.test/" for number in range(HOSTS)]
    web: dict[str, Any] = {f"h{number}.test/": Answer.page("/2") for number in range(HOSTS)}
    async with scripted_site(web, Answer.page()) as site:
        async with opened(site, tmp_path, names) as crawl:
            hops = counted_questions(monkeypatch)
            assert await crawl.run.run_until_over() == "done"
            assert hops == []
            assert crawl.statistics.pages == 2 * HOSTS
        more = [f"http://h{number}.test/3" for number in range(HOSTS)]
        async with opened(site, tmp_path, more) as crawl:
            hops.clear()
            assert await crawl.run.run_until_over() == "done"
            assert crawl.statistics.pages == 3 * HOSTS
    assert sum(hops) >= HOSTS
    assert len(hops) <= HOSTS // 10


async def test_a_read_on_the_event_loop_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_at_once(hosts: Hosts, name: str) -> Host:
        return hosts.find(name) or hosts.learn(name, hosts.read(name))

    async with scripted_site({}, Answer.page()) as site, opened(site, tmp_path, ["http://a.test/"]) as crawl:
        monkeypatch.setattr(Hosts, "get_loaded", read_at_once)
        with pytest.raises(ReadOnTheLoop, match="FROM hosts"):
            await crawl.run.run_until_over()
