"""S7: search in a crawl, in every world."""

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import hondius
from hondius.errors import BadSetting, HondiusError, WrongUse
from hondius.model import PageFilter
from hondius.opening import open_crawl, place_of
from hondius.operate.cli import main
from hondius.use.search import Search, updating
from hondius.use.search.indexed_text import make_indexed_page
from hondius.use.search.updating import CONSUMER, IndexUpdate
from tests.journeys.scripted_site import Answer, Request, Script
from tests.use.searched_site import TEXTS, UTF8, make_html, make_site
from tests.use.worlds import WORLDS, crawl_in_process, new_place, served


@pytest.fixture(params=WORLDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    with new_place(request.param, tmp_path) as name:
        yield name


@pytest.fixture(scope="module", params=WORLDS)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Shared by the tests of this module, which leave it as it is."""
    with new_place(request.param, tmp_path_factory.mktemp("searched")) as name:
        crawl_in_process(name, make_site())
        yield name


def find(name: Path, query: str, **options: object) -> list[str]:
    """The paths of the pages that are found, best first."""
    with hondius.open(name) as crawl:
        return [hit.url.removeprefix("http://a.test") for hit in crawl.search(query, **options)]  # type: ignore[arg-type]


def list_searchable(name: Path) -> list[bytes]:
    with open_crawl(name) as crawl:
        selected = PageFilter(states=("completed", "duplicate"), kinds=("page",), noindex=False)
        return sorted(row["key"] for row in crawl.catalog.pages(selected))


def list_indexed(name: Path) -> list[bytes]:
    with open_crawl(name) as crawl:
        return crawl.search_index.list_keys()


@pytest.mark.parametrize("path", TEXTS)
def test_s7_a_page_is_found_by_a_phrase_of_its_text(site: Path, path: str) -> None:
    text = TEXTS[path][2]
    phrase = text[text.index(" ", 20) : text.rindex(" ")] if text.isascii() else text[7:19]
    assert find(site, f'"{phrase}"') == [path]


@pytest.mark.parametrize(
    ("query", "paths"),
    [("地図帳", ["/ja"]), ("博物院", ["/zh"]), ("ห้องสมุด", ["/th"]), ("서울", ["/ko"]), ("東京都 書店", ["/ja"])],
)
def test_s7_text_without_spaces_is_found_by_words(site: Path, query: str, paths: list[str]) -> None:
    assert find(site, query) == paths


def test_s7_snippets_mark_what_was_found(site: Path) -> None:
    with hondius.open(site) as crawl:
        (hit,) = crawl.search('"red shoes" MAPS')
        assert [part for part, is_match in hit.snippet.split() if is_match] == ["Maps", "red shoes"]
        assert hit.title.to_html() == "<mark>Maps</mark> &amp; shoes"
        assert hit.snippet.text.startswith("Maps & shoes This shop sells red shoes")
        assert (hit.host, hit.language, hit.is_copy) == ("a.test", "en-gb", False)
        (japanese,) = crawl.search("東京都")
        assert "<mark>東京都</mark>の書店" in japanese.snippet.to_html()


def test_s7_copies_are_left_out_unless_asked_for(site: Path) -> None:
    found = find(site, '"plates of the atlas"')
    assert len(found) == 1
    assert sorted(find(site, '"plates of the atlas"', copies=True)) == ["/atlas", "/copy"]


def test_d4_a_page_that_asks_not_to_be_indexed_is_not_found(site: Path) -> None:
    assert find(site, "secret") == []
    assert list_indexed(site) == list_searchable(site)


def test_w3_pages_reserved_for_a_use_are_left_out_of_it(site: Path) -> None:
    assert find(site, "owner reserves") == ["/reserved"]
    assert find(site, "owner reserves", purpose="search") == []
    assert find(site, "owner reserves", purpose="ai-train") == ["/reserved"]


def test_s7_conditions_narrow_a_search(site: Path) -> None:
    assert find(site, "maps lang:en-gb") == ["/shop"]
    assert find(site, "maps", language="ja") == []
    assert find(site, "maps host:b.test") == []
    assert find(site, "maps before:2001-01-01") == []
    assert sorted(find(site, "maps after:2001-01-01", host="a.test")) == ["/atlas", "/shop"]
    assert find(site, "maps -shoes") == ["/atlas"]
    assert find(site, "plat*") == ["/atlas"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"host": 5}, "host=5 is no filter: give a text, or a list of them"),
        ({"after": float("nan")}, "after=nan is no time"),
        ({"before": 1e300}, "is no time"),
        ({"after": datetime.min}, "is no time"),
        ({"copies": "no"}, "copies='no' is no filter: give True or False"),
        ({"purpose": 5}, "purpose=5 is no filter: give a text"),
        ({"limit": "x"}, "whole numbers are expected"),
        ({"limit": 1.5}, "whole numbers are expected"),
        ({"query": b"atlas"}, "b'atlas' is no query: give a text"),
    ],
)
def test_o2_an_argument_of_another_type_is_refused_in_one_line(
    site: Path, options: dict[str, Any], message: str
) -> None:
    with hondius.open(site) as crawl, pytest.raises(WrongUse, match=message):
        crawl.search(**({"query": "atlas"} | options))


def test_s7_results_are_counted_and_come_in_parts(site: Path) -> None:
    with hondius.open(site) as crawl:
        first = crawl.search("host:a.test", limit=2)
        assert (len(first), first.total) == (2, len(list_searchable(site)) - 1)
        rest = crawl.search("host:a.test", limit=100, offset=2)
        assert len(rest) == first.total - 2
        assert not {hit.url for hit in first} & {hit.url for hit in rest}
        with pytest.raises(BadSetting, match="cannot be shown"):
            crawl.search("atlas", limit=0)
        with pytest.raises(BadSetting, match="search for what"):
            crawl.search("")


def test_s7_a_page_crawled_again_replaces_itself(place: Path) -> None:
    versions = {"/": 0, "/a": 0, "/b": 0, "/c": 0}
    later = {
        "/a": Answer(
            make_html("Page", "en", "It has new words now, and no others that anybody knows of."), headers=(UTF8,)
        ),
        "/b": Answer("gone", 404),
        "/c": Answer(
            make_html("Page", "en", "Third words.", '<meta name="robots" content="noindex">'), headers=(UTF8,)
        ),
    }

    def serve(request: Request) -> Answer:
        versions[request.path] += 1
        if request.path == "/":
            return Answer.page("/a", "/b", "/c")
        if versions[request.path] > 1:
            return later[request.path]
        return Answer(make_html("Page", "en", f"It has first words on {request.path} and many more."), headers=(UTF8,))

    script: Script = dict.fromkeys(versions, serve)
    crawl_in_process(place, script)
    assert sorted(find(place, "first words")) == ["/a", "/b", "/c"]
    with served(script) as web:
        assert main.run(["recrawl", str(place), *(f"http://a.test{path}" for path in later)]) == 0
        words = ["resume", str(place), "--delay", "0", "--resolve", f"*.test=127.0.0.1:{web.port}", "--json"]
        assert main.run(words) == 0
    assert find(place, "first words", update=False)
    assert find(place, "first words") == []
    assert find(place, "new words") == ["/a"]
    assert list_indexed(place) == list_searchable(place)


def test_s7_only_what_is_new_is_indexed(place: Path) -> None:
    crawl_in_process(place, make_site())
    with open_crawl(place) as crawl:
        assert IndexUpdate(crawl.place, crawl.search_index).run() > 5
        assert IndexUpdate(crawl.place, crawl.search_index).run() == 0
        assert Search(crawl).update()
        saved = crawl.consumers.position(CONSUMER)
        assert saved is not None
        assert saved.position == crawl.log.end
        assert crawl.search_index.refresh() == saved


def test_s7_a_removed_consumer_reads_the_log_again(place: Path) -> None:
    crawl_in_process(place, make_site())
    pages = list_searchable(place)
    with open_crawl(place) as crawl:
        IndexUpdate(crawl.place, crawl.search_index).run()
        assert crawl.consumers.remove(CONSUMER)
        assert IndexUpdate(crawl.place, crawl.search_index).run() >= len(pages)
        assert crawl.search_index.list_keys() == pages
        assert crawl.consumers.remove(CONSUMER)
        assert Search(crawl).update()
        assert crawl.consumers.list() == [CONSUMER]


def test_s7_the_index_is_built_while_crawling(place: Path) -> None:
    crawl_in_process(place, make_site(), "--search")
    assert "/ja" in find(place, "地図帳", update=False)
    assert list_indexed(place) == list_searchable(place)


def test_s7_a_search_without_an_index_says_what_to_do(place: Path) -> None:
    crawl_in_process(place, {"/": Answer.page()})
    with pytest.raises(HondiusError, match="has no search index yet"):
        find(place, "atlas", update=False)


def test_s7_an_interrupted_update_keeps_what_it_has_and_the_next_continues(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl_in_process(place, make_site())
    made: list[str] = []

    def interrupt(row: dict[str, object], contents: object, unread: object) -> object:
        made.append(str(row["url"]))
        if len(made) == 4:
            raise KeyboardInterrupt
        return make_indexed_page(row, contents, unread)  # type: ignore[arg-type]

    with open_crawl(place) as crawl:
        monkeypatch.setattr(updating, "make_indexed_page", interrupt)
        with pytest.raises(KeyboardInterrupt):
            IndexUpdate(crawl.place, crawl.search_index, in_parallel=False).run()
        IndexUpdate(crawl.place, crawl.search_index, in_parallel=False).run()
    assert list_indexed(place) == list_searchable(place)


def test_s7_frames_that_the_catalog_lacks_are_left_for_later(tmp_path: Path) -> None:
    """After a kill, the catalog may be behind the log."""
    crawl_in_process(tmp_path / "crawl", make_site(), "--max-pages", "3")
    place = place_of(tmp_path / "crawl")
    with closing(place.open_log(read_only=True)) as log:
        first = len(list(log.read()))
    crawl_in_process(tmp_path / "crawl", make_site(), "--max-pages", "100")
    with closing(place.open_log(read_only=True)) as log:
        frames = list(log.read())
    place.discard("crawl.db")
    _, catalog = place.open_views()
    with closing(catalog):
        catalog.apply(frames[:first])
    half = list_searchable(tmp_path / "crawl")
    assert [hit.url for hit in hondius.open(tmp_path / "crawl").search("host:a.test", copies=True, limit=50)] != []
    assert list_indexed(tmp_path / "crawl") == half
    _, catalog = place.open_views()
    with closing(catalog):
        catalog.apply(frames[first:])
    assert find(tmp_path / "crawl", "host:a.test")
    assert list_indexed(tmp_path / "crawl") == list_searchable(tmp_path / "crawl") != half
