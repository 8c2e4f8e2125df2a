"""Ranks that are computed while the crawl runs change the order of what is fetched (F2, S8)."""

from pathlib import Path

import pytest

from hondius.model import Reprioritised
from hondius.opening import open_crawl
from tests.journeys.scripted_site import Answer, Script, crawl, scripted_site
from tests.python.sites import make_page

PAGES = 150
POPULAR = "/zz"
SLOW = 0.02
EVERY = 20


def make_site() -> Script:
    """The start names all pages; of its pages, each links to a page of its own, and the popular one is named last."""
    script: Script = {"/": make_page("start", *(f"/{number:03}" for number in range(PAGES)))}
    for number in range(PAGES):
        page = make_page(f"page {number}", f"/leaf-{number:03}", POPULAR)
        script[f"/{number:03}"] = Answer(page.body, delay=SLOW)
        script[f"/leaf-{number:03}"] = Answer(make_page(f"leaf {number}").body, delay=SLOW)
    script[POPULAR] = make_page("popular")
    return script


async def crawl_site(directory: Path, *options: str) -> list[str]:
    async with scripted_site(make_site()) as site:
        few = ("--concurrency", "1", "--set", "scope.sitemaps=false")
        ended = await crawl(site, directory, "http://a.test/", *few, *options)
        assert ended.status == 0, ended.error
        return site.paths()


def list_moves(directory: Path) -> list[Reprioritised]:
    with open_crawl(directory) as opened:
        return [event for frame in opened.log.read() for event in frame.events if type(event) is Reprioritised]


@pytest.mark.parametrize("every", [0, EVERY])
async def test_f2_a_page_to_which_many_link_comes_before_those_that_were_found_earlier(
    tmp_path: Path, every: int
) -> None:
    paths = await crawl_site(tmp_path / "crawl", "--set", f"rank.every={every}")
    assert len(paths) == len(set(paths)) == 2 * PAGES + 2
    assert bool(list_moves(tmp_path / "crawl")) == bool(every)
    assert (paths.index(POPULAR) > PAGES) == (every == 0), paths.index(POPULAR)


async def test_f2_a_resumed_crawl_knows_the_links_of_earlier_runs(tmp_path: Path) -> None:
    early = ["--set", f"rank.every={EVERY}", "--max-pages", str(EVERY - 1)]
    first = await crawl_site(tmp_path / "crawl", *early)
    assert POPULAR not in first
    assert not list_moves(tmp_path / "crawl")
    second = await crawl_site(tmp_path / "crawl", "--set", f"rank.every={EVERY}", "--max-pages", "80")
    assert POPULAR in second[:35], second.index(POPULAR)
    assert list_moves(tmp_path / "crawl")
