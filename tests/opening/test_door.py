"""The one door: a crawl is opened by its name, whichever world it lies in."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hondius.errors import BadDirectory, BrokenView
from hondius.model import HostOrder, PageFilter
from hondius.opening import crawl_exists, open_crawl, open_settings, place_of
from hondius.opening.threads import open_crawl_async
from hondius.opening.url_store import UrlStoreUnavailable
from hondius.use.explain import explain_url
from tests.use.small_crawl import QUEUED, SETTINGS, make_crawl
from tests.use.worlds import WORLDS, new_place


@pytest.fixture(params=WORLDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Nothing lies there yet."""
    with new_place(request.param, tmp_path) as name:
        yield name


@pytest.fixture
def crawl(place: Path) -> Path:
    make_crawl(place)
    return place


def test_where_no_crawl_lies_none_is_opened_or_made(place: Path) -> None:
    assert not crawl_exists(place)
    with pytest.raises(BadDirectory, match="holds no crawl"), open_crawl(place):
        pass
    assert not place.exists()


def test_everything_is_given_that_reads_a_crawl(crawl: Path) -> None:
    with open_crawl(crawl) as opened:
        assert (opened.name, opened.settings) == (str(crawl), SETTINGS)
        assert opened.catalog.totals()["states"]["completed"] == 2
        assert opened.catalog.position == opened.log.end
        page = next(opened.catalog.pages(PageFilter(states=("completed",))))
        fields, _, _ = opened.archive.read(page["warc_file"], page["warc_offset"], page["warc_length"])
        assert fields["warc-target-uri"] == page["url"]
        assert opened.archive.size() > 0
        assert len(opened.attempts.newest()) == 10
        assert not opened.orders.has_any()
        with opened.open_idle_urls() as urls:
            assert urls.counts()["queued"] == len(QUEUED)


def test_what_is_not_asked_for_is_not_opened(tmp_path: Path) -> None:
    make_crawl(tmp_path)
    (tmp_path / "crawl.db").unlink()
    with open_crawl(tmp_path) as opened:
        assert opened.log.end.frames == 2
        with pytest.raises(BrokenView, match="is missing"):
            opened.catalog.totals()


def test_the_url_store_is_not_asked_beside_a_running_crawl(crawl: Path) -> None:
    with (
        open_crawl(crawl) as opened,
        place_of(crawl).lock(),
        pytest.raises(UrlStoreUnavailable, match="the crawl is running"),
        opened.open_idle_urls(),
    ):
        pass


def test_an_order_that_is_given_by_one_is_seen_by_another(crawl: Path) -> None:
    order = HostOrder("a.test", 1.0, delay=3.0)
    with open_crawl(crawl) as giver, open_crawl(crawl) as other:
        giver.orders.post([order], 1)
        assert [found for found, _ in other.orders.orders()] == [order]


async def test_it_opens_inside_a_running_event_loop_as_in_a_notebook(crawl: Path) -> None:
    with open_crawl(crawl) as opened:
        page = next(opened.catalog.pages(PageFilter(states=("completed",))))
        assert explain_url(opened, page["url"]).summary == "it ended: completed, status 200"


async def test_whoever_runs_a_loop_asks_on_a_thread_of_the_crawls_own(crawl: Path) -> None:
    async with open_crawl_async(crawl) as opened:
        threads = await asyncio.gather(*(opened.ask(lambda _: threading.current_thread()) for _ in range(3)))
        assert len(set(threads)) == 1
        assert threads[0] is not threading.current_thread()
        page = await opened.ask(lambda crawl: next(crawl.catalog.pages(PageFilter(states=("completed",)))))
        told = await opened.ask(lambda crawl: explain_url(crawl, page["url"]))
    assert told.summary == "it ended: completed, status 200"


async def test_the_loop_is_free_while_a_question_is_answered(crawl: Path) -> None:
    loop, asked, answered = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    def slow(_: object) -> bool:
        loop.call_soon_threadsafe(asked.set)
        return answered.wait(20)

    async with open_crawl_async(crawl) as opened:
        question = asyncio.create_task(opened.ask(slow))
        await asked.wait()
        answered.set()
        assert await question


async def test_what_cannot_be_opened_says_so_to_whoever_awaits_it(place: Path) -> None:
    with pytest.raises(BadDirectory, match="holds no crawl"):
        async with open_crawl_async(place):
            pass


def test_settings_are_those_of_the_crawl(crawl: Path) -> None:
    assert crawl_exists(crawl)
    assert open_settings(crawl) == SETTINGS
