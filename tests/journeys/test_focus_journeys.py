"""Pages about the topic come first, and with a threshold nothing else (D6)."""

from pathlib import Path

import pytest

import hondius as library
from hondius.native import Identity
from hondius.opening import open_crawl
from tests.journeys.scripted_site import Answer, Script, crawl, export_rows, hondius, scripted_site
from tests.python.sites import make_options

MAPS = "<title>Old maps</title><h1>Maps</h1><p>Of maps."
SITE: Script = {
    "/": Answer("<title>Home</title><a href=/a>one</a><a href=/b>two</a><a href=/c>three</a>"),
    "/a": Answer("<title>Bread</title><p>Butter.<a href=/a/1>x</a><a href=/a/maps>y</a><a href=/a/2>z</a>"),
    "/b": Answer(f"{MAPS}<a href=/b/1>x</a><a href=/b/2>the sea maps</a>"),
    "/c": Answer("<title>Cheese</title><p>Milk.<a href=/c/1>x</a>"),
    **{path: Answer(f"<p>{path}") for path in ("/a/1", "/a/maps", "/a/2", "/b/1", "/b/2", "/c/1")},
}
FIRST = "http://a.test/"
PATHS = ("a/1", "a/2", "a/maps", "b/1", "b/2", "c/1")


async def test_d6_links_of_pages_about_the_topic_have_a_higher_priority(tmp_path: Path) -> None:
    async with scripted_site(dict(SITE)) as site:
        await crawl(site, tmp_path / "crawl", FIRST, "--focus", "maps")
    with open_crawl(tmp_path / "crawl") as ended:
        rows = {path: ended.catalog.page(Identity().parse(f"{FIRST}{path}").key) for path in PATHS}
    priority = {path: row["priority"] for path, row in rows.items() if row is not None}
    assert priority["b/2"] > priority["b/1"] > priority["a/maps"] > priority["a/1"]
    assert priority["a/1"] == priority["a/2"] == priority["c/1"]


async def test_d6_below_the_threshold_links_are_not_followed_and_explain_says_so(tmp_path: Path) -> None:
    async with scripted_site(dict(SITE)) as site:
        await crawl(site, tmp_path / "crawl", FIRST, "--focus", "maps,sea chart=2", "--focus-threshold", "0.4")
        fetched = set(site.paths())
    assert fetched == {"/", "/a", "/b", "/c", "/b/1", "/b/2", "/a/maps"}, "the links of a seed are followed"
    rows = await export_rows(tmp_path / "crawl", "--columns", "url,focus,unfollowed")
    assert (rows[f"{FIRST}a"]["focus"], rows[f"{FIRST}a"]["unfollowed"]) == (0.0, 2)
    assert rows[f"{FIRST}b"]["focus"] > 0.8
    assert rows[f"{FIRST}b"]["unfollowed"] == rows[FIRST]["unfollowed"] == 0
    explained = (await hondius("explain", tmp_path / "crawl", f"{FIRST}a")).out
    assert "0.000, below focus.threshold: 2 links are not followed" in explained


async def test_d6_without_keywords_nothing_is_scored(tmp_path: Path) -> None:
    async with scripted_site(dict(SITE)) as site:
        await crawl(site, tmp_path / "crawl", FIRST)
    rows = await export_rows(tmp_path / "crawl", "--columns", "url,focus,unfollowed")
    assert {(row["focus"], row["unfollowed"]) for row in rows.values() if row["url"] == FIRST} == {(None, 0)}


async def test_d6_the_score_of_a_hook_replaces_that_of_the_keywords(tmp_path: Path) -> None:
    async with scripted_site(dict(SITE)) as site:
        options = make_options(site, tmp_path / "c")
        crawler = library.Crawler(FIRST, **options, focus_threshold=0.5)

        @crawler.classify
        def is_cheese(page: library.Page) -> float:
            return 0.9 if page.title == "Cheese" else 0.1

        await crawler.arun()
        assert set(site.paths()) == {"/", "/a", "/b", "/c", "/c/1"}
    with library.open(tmp_path / "c") as found:
        assert found[f"{FIRST}c"] is not None
    rows = await export_rows(tmp_path / "c", "--columns", "url,focus,unfollowed")
    assert (rows[f"{FIRST}c"]["focus"], rows[f"{FIRST}b"]["unfollowed"]) == (0.9, 2)


@pytest.mark.parametrize("words", ["…", "maps=heavy", "maps=0", "maps=1000"])
async def test_d6_keywords_that_mean_nothing_are_refused(tmp_path: Path, words: str) -> None:
    async with scripted_site({}) as site:
        ended = await crawl(site, tmp_path / "crawl", FIRST, "--focus", words)
    assert ended.status == 2
    assert "focus.keywords is not understood" in ended.error
