"""O2: a page as a Python object."""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import hondius
from hondius.errors import WrongUse
from hondius.model import State
from hondius.native import EXTRACTION_VERSION
from hondius.opening import place_of
from hondius.use.content import contents
from tests.python.shop import BLUE, COPY, GONE, HIDDEN_URL, HOME, MOVED, PRODUCT, RED


def test_o2_a_page_has_the_values_of_the_catalog(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        page = crawl[RED]
        assert (page.url, page.host, page.state, page.cause, page.status) == (RED, "a.test", State.COMPLETED, "", 200)
        assert (page.title, page.description, page.language) == ("Red shoes", "Shoes that are red.", "en-gb")
        assert (page.type, page.charset, page.depth, page.kind) == ("text/html", "UTF-8", 1, "page")
        assert (page.noindex, page.truncated, page.canonical, page.extracted) == (False, False, None, {})
        assert page.content_hash == hashlib.sha256(PRODUCT.encode()).hexdigest()
        assert page.fetched_at is not None
        assert page.fetched_at.tzinfo is UTC
        assert datetime.now(UTC) - page.fetched_at < timedelta(minutes=5)
        assert page.length == len(PRODUCT)
        assert crawl[HIDDEN_URL].noindex
        assert {crawl[RED].copy_of, crawl[COPY].copy_of} in ({None, RED}, {None, COPY})


def test_o2_a_url_without_content_is_a_page_too(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        moved, gone = crawl[MOVED], crawl[GONE]
        assert (moved.state, moved.redirect_to, moved.status) == (State.REDIRECTED, BLUE, 301)
        assert (gone.state, gone.cause, gone.status, gone.main_text) == (State.FAILED, "http_404", 404, "")
        assert (moved.body, moved.text, moved.markdown, moved.json_ld(), moved.links) == (None, "", "", [], [])
        assert ("location", "/blue") in moved.headers


def test_a5_text_and_main_text_are_read_from_the_archive_also_of_a_copy(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        for page in (crawl[RED], crawl[COPY]):
            assert page.body == PRODUCT.encode()
            assert page.text.startswith("Home Red shoes These shoes are red")
            assert "Home" not in page.main_text
            assert page.markdown.startswith("# Red shoes")
            assert "- leather" in page.markdown
            assert "the maker" in page.markdown


def test_a5_structured_data_is_parsed(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        page = crawl[RED]
        assert set(page.structured) == {"json_ld", "microdata", "rdfa", "open_graph", "left_out"}
        assert page.structured["open_graph"]["og:title"] == ["Red"]
        assert [found["name"] for found in page.json_ld()] == ["Shop", "Red shoes"]
        assert page.json_ld("Product") == {"@type": ["Product", "Thing"], "name": "Red shoes"}
        assert page.json_ld("Recipe") == {}


def test_o2_headers_come_in_order_and_repeated(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        headers = crawl[RED].headers
        assert [pair for pair in headers if pair[0] == "x-shop"] == [("x-shop", "yes"), ("x-shop", "2")]
        assert ("content-type", "text/html; charset=utf-8") in headers


def test_o2_a_header_is_found_by_its_name(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        headers = crawl[RED].headers
        assert headers["Content-Type"] == headers.get("content-type") == "text/html; charset=utf-8"
        assert (headers["x-shop"], headers.get_all("X-Shop")) == ("yes, 2", ["yes", "2"])
        names: list[Any] = ["x-shop", "x-other"]
        assert [name in headers for name in names] == [True, False]
        assert (headers.get("x-other"), headers.get("x-other", "no")) == (None, "no")
        with pytest.raises(KeyError):
            _ = headers["x-other"]
        assert dict(headers)["content-type"] == headers["content-type"]
        assert headers[0] == next(iter(headers))
        assert json.loads(json.dumps(crawl[RED].to_dict("headers")))["headers"] == [list(pair) for pair in headers]


def test_d2_links_include_those_out_of_scope(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        links = crawl[RED].links
        assert [(link.url, link.anchor, link.nofollow) for link in links] == [
            (HOME, "Home", False),
            ("http://elsewhere.test/", "the maker", True),
        ]
        assert links[1].rel == "nofollow"
        assert crawl.links(RED) == links


def test_d2_links_that_are_not_stored_are_read_from_the_archived_page(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        row = dict(crawl._crawl.catalog.page(crawl._find_key(RED)) or {})
        stored = crawl._contents.list_links(row)
        read = crawl._contents.list_links(row | {"links_file": None})
        lost = crawl._contents.list_links(row | {"links_file": "hondius-lost-00009.links"})
        assert [link.href for link in stored] == [link.href for link in read] == [link.href for link in lost]


def test_o2_the_history_has_every_request(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        (fetch,) = crawl[RED].history
        assert (fetch.outcome, fetch.status, fetch.content_hash) == ("completed", 200, crawl[RED].content_hash)
        assert fetch.started_at is not None
        assert fetch.ended_at == crawl[RED].fetched_at
        assert fetch.ended_at is not None
        assert fetch.started_at < fetch.ended_at


def test_o2_a_page_becomes_a_dictionary_for_json(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        values = crawl[RED].to_dict("markdown", "links")
        assert json.loads(json.dumps(values)) == values
        assert (values["url"], values["state"], values["links"][0]) == (RED, "completed", HOME)
        assert "text" not in values
        with pytest.raises(WrongUse, match="choose from text, main_text"):
            crawl[RED].to_dict("colour")


def test_a5_the_deep_pass_is_made_once_a_page_and_again_for_another_version(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        first = crawl[BLUE].main_text
    assert "Leder" in first
    with patch.object(contents, "extract_deep_text", side_effect=AssertionError("made again")):
        with hondius.open(shop) as crawl:
            assert crawl[BLUE].main_text == first
        with (
            patch.object(contents, "EXTRACTION_VERSION", EXTRACTION_VERSION + 1),
            hondius.open(shop) as crawl,
            pytest.raises(AssertionError, match="made again"),
        ):
            _ = crawl[BLUE].main_text
    with patch.object(contents, "EXTRACTION_VERSION", EXTRACTION_VERSION + 1), hondius.open(shop) as crawl:
        assert crawl[BLUE].main_text == first
        key = crawl._find_key(BLUE)
    texts = place_of(shop).open_deep_texts()
    content_hash = hashlib.sha256((crawl_body := _body(shop)) or b"").digest()
    assert crawl_body
    assert texts.get(key, content_hash, EXTRACTION_VERSION) is None
    assert texts.get(key, content_hash, EXTRACTION_VERSION + 1) is not None
    texts.close()


def test_a5_a_page_whose_body_is_not_found_has_no_main_text_and_this_is_not_stored(shop: Path) -> None:
    with hondius.open(shop) as crawl, patch.object(contents.Contents, "read", return_value=None):
        assert crawl[HOME].main_text == ""
    with hondius.open(shop) as crawl:
        assert crawl[HOME].main_text


def _body(shop: Path) -> bytes | None:
    with hondius.open(shop) as crawl:
        return crawl[BLUE].body


def test_o2_pages_are_equal_if_they_are_the_same_visit(shop: Path) -> None:
    with hondius.open(shop) as crawl:
        assert crawl[RED] == crawl[RED]
        assert len({crawl[RED], crawl[RED], crawl[BLUE]}) == 2
        assert repr(crawl[RED]) == f"<Page {RED} completed 200>"
