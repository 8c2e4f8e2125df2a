"""O2: `crawl.links_to`: the pages that link to a URL."""

import sqlite3
from pathlib import Path

import pytest

import hondius
from hondius.errors import Broken, UnknownUrl, WrongUse
from hondius.operate.cli import main
from tests.journeys.scripted_site import Answer, Script
from tests.python.shop import BLUE, COPY, HOME, RED
from tests.use.worlds import WORLDS, crawl_in_process, new_place

PAGES = 400
HUB, LEAF = "http://a.test/hub", "http://a.test/leaf"


def list_linking(name: Path, url: str) -> list[str]:
    with hondius.open(name) as crawl:
        return [page.url for page in crawl.links_to(url)]


def test_o2_the_pages_that_link_to_a_url_are_found_each_once(shop: Path) -> None:
    assert list_linking(shop, BLUE) == [HOME]
    assert sorted(list_linking(shop, HOME)) == [RED, COPY]


def test_o2_a_url_out_of_scope_and_another_form_of_a_url_are_found_too(shop: Path) -> None:
    assert sorted(list_linking(shop, "http://elsewhere.test/#there")) == [RED, COPY]
    assert list_linking(shop, "HTTP://A.test:80/blue") == [HOME]
    assert list_linking(shop, "http://nobody.test/") == []


async def test_o2_the_pages_that_link_to_a_url_are_awaited(shop: Path) -> None:
    async with hondius.open_async(shop) as crawl:
        assert [page.url async for page in crawl.links_to(BLUE)] == [HOME]


def test_o2_what_is_no_url_and_a_closed_crawl_are_refused_at_once(shop: Path) -> None:
    with hondius.open(shop) as crawl, pytest.raises(UnknownUrl, match="is no URL"):
        crawl.links_to("no url")
    with pytest.raises(WrongUse, match="open it again"):
        crawl.links_to(BLUE)


@pytest.mark.parametrize("world", WORLDS)
def test_o2_every_one_of_several_hundred_pages_is_found_and_only_as_it_links_now(world: str, tmp_path: Path) -> None:
    script: Script = {f"/{number}": Answer.page("/leaf", f"/{number}?own") for number in range(PAGES)}
    script["/"] = Answer.page("/hub", *script)
    script["/hub"] = Answer.page("/leaf")
    with new_place(world, tmp_path) as name:
        crawl_in_process(name, script)
        expected = {HUB, *(f"http://a.test/{number}" for number in range(PAGES))}
        found = list_linking(name, LEAF)
        assert set(found) == expected
        assert len(found) == len(expected)
        script["/hub"] = Answer.page("/elsewhere")
        assert main.run(["recrawl", str(name), HUB]) == 0
        crawl_in_process(name, script)
        assert set(list_linking(name, LEAF)) == expected - {HUB}
        assert list_linking(name, "http://a.test/elsewhere") == [HUB]


def test_o2_a_damaged_segment_is_reported_and_what_to_do(tmp_path: Path) -> None:
    name = tmp_path / "crawl"
    crawl_in_process(name, {"/": Answer.page("/leaf")})
    (segment,) = (name / "links").iterdir()
    data = bytearray(segment.read_bytes())
    data[-1] ^= 0xFF
    segment.write_bytes(data)
    with pytest.raises(Broken, match="hondius rebuild"):
        list_linking(name, LEAF)
    assert main.run(["rebuild", str(name)]) == 0
    assert list_linking(name, LEAF) == ["http://a.test/"]


def test_o2_links_that_are_in_no_segment_are_read_from_the_archive(tmp_path: Path) -> None:
    """As in a crawl that is older than link segments."""
    name = tmp_path / "crawl"
    crawl_in_process(name, {"/": Answer.page("/leaf")})
    with sqlite3.connect(name / "crawl.db") as catalog:
        catalog.execute("UPDATE pages SET links_file = NULL, links_offset = NULL, links_index = NULL")
    assert list_linking(name, LEAF) == ["http://a.test/"]
