"""`hondius.crawl_sync`: the same crawl without `async` (O2)."""

import asyncio
import threading
import traceback
from pathlib import Path

import pytest

import hondius
from tests.journeys.scripted_site import scripted_site
from tests.python.sites import HOST, make_chain, make_options


async def test_o2_the_synchronous_twin_gives_the_same_pages(tmp_path: Path) -> None:
    async with scripted_site(make_chain(12)) as site:

        def work() -> tuple[list[str], int]:
            with hondius.crawl_sync(f"{HOST}/", **make_options(site, tmp_path / "c")) as crawl:
                urls = [page.url for page in crawl if page.body]
            return urls, crawl.summary["pages"]

        urls, pages = await asyncio.to_thread(work)
    assert len(set(urls)) == pages == 12


async def test_o2_the_twin_runs_inside_a_running_loop_and_leaves_no_thread(tmp_path: Path) -> None:
    """As in a notebook: the site of this test is served by another thread, because the loop is blocked."""
    ready, over = threading.Event(), threading.Event()
    ports: list[int] = []

    async def serve() -> None:
        async with scripted_site(make_chain(12)) as site:
            ports.append(site.port)
            ready.set()
            await asyncio.to_thread(over.wait)

    server = threading.Thread(target=lambda: asyncio.run(serve()))
    server.start()
    ready.wait()
    resolve = f"*.test=127.0.0.1:{ports[0]}"
    assert asyncio.get_running_loop().is_running()
    with hondius.crawl_sync(f"{HOST}/", into=tmp_path / "c", delay=0, resolve=resolve) as crawl:
        first = next(iter(crawl))
        assert first.title == "all items"
    assert crawl.summary["stop_reason"] in ("interrupted", "done")
    with hondius.crawl_sync(f"{HOST}/", into=tmp_path / "c", delay=0, resolve=resolve) as crawl:
        crawl.finish()
    assert crawl.summary["pages"] == 12
    over.set()
    server.join()
    assert not [thread.name for thread in threading.enumerate() if thread.name == "hondius-loop"]


def test_o2_an_error_is_raised_by_with_itself(tmp_path: Path) -> None:
    with pytest.raises(hondius.BadSetting) as raised, hondius.crawl_sync("http://a.test/", into=tmp_path, max_depth=-1):
        pass
    assert len(traceback.extract_tb(raised.value.__traceback__)) == 2, "this test, and __enter__"
