"""A5: the main text of a page, as Markdown and as plain text, and its structured data."""

import json
import random

import pytest
from benchmarks.main_text.pages import KINDS, AnnotatedPage, read_own_pages, read_suite
from benchmarks.main_text.score import fold, score
from selectolax.lexbor import LexborHTMLParser

from hondius.native import EXTRACTION_VERSION, Extraction, Identity, NativeError, Reader
from tests.native.mutation import mutate_page
from tests.native.suites import SUITES, needs_suites

READER = Reader(Identity(), agent_token="hondius")
URL = "https://a.test/dir/page.html"
OWN_PAGES = tuple(read_own_pages())
PROSE = (
    "The ferry leaves the island every morning at six, and whoever misses it waits until the next day for another one."
)


PARTS = {"json_ld", "microdata", "rdfa", "open_graph", "left_out"}


def extract(text: str | bytes, content_type: str = "text/html; charset=utf-8") -> Extraction:
    body = text.encode() if isinstance(text, str) else text
    return Extraction(READER, body, url=URL, content_type=content_type)


def extract_page(page: AnnotatedPage) -> str:
    url = page.url if page.url.startswith("http") else URL
    return Extraction(READER, page.body, url=url, content_type="text/html").main_text


@pytest.mark.parametrize("kind", KINDS)
def test_a5_the_main_text_of_manuals_forums_and_shops_is_found(kind: str) -> None:
    found = score((page, extract_page(page)) for page in OWN_PAGES if page.group == kind)
    assert found.f1 >= 0.93, found


@needs_suites
def test_a5_the_main_text_of_articles_is_found() -> None:
    found = score((page, extract_page(page)) for page in read_suite(SUITES))
    assert found.f1 >= 0.94, found


def test_a5_a_page_that_is_no_html_has_its_text() -> None:
    assert extract("one *two*", "text/plain").markdown == "one \\*two\\*"
    assert extract("<rss><channel><title>N</title></channel></rss>", "application/rss+xml").structured_data
    assert extract(b"\x89PNG\r\n", "image/png").main_text == ""


def test_a5_a_page_whose_tree_costs_too_much_has_the_text_of_the_crawl() -> None:
    attributes = " ".join(f"a{number}" for number in range(1_000))
    extraction = extract(f"<p {attributes}>{PROSE}</p><h2>Heading</h2><p>{PROSE}</p>")
    assert extraction.main_text.count(PROSE) == 2
    assert "## Heading" not in extraction.markdown


def test_a5_structured_data_is_json_of_four_parts_and_a_count() -> None:
    data = json.loads(
        extract(
            '<script type="application/ld+json">{"@type": "Article"}</script><meta property=og:type content=article>'
            "<div itemscope itemtype=https://schema.org/Thing><b itemprop=name>x</b></div>"
            "<div vocab=https://schema.org/ typeof=Person><b property=name>y</b></div>"
        ).structured_data
    )
    assert data == {
        "json_ld": [{"@type": "Article"}],
        "microdata": [{"type": ["https://schema.org/Thing"], "properties": {"name": ["x"]}}],
        "rdfa": [{"type": ["https://schema.org/Person"], "properties": {"name": ["y"]}}],
        "open_graph": {"og:type": ["article"]},
        "left_out": 0,
    }


def test_a5_any_bytes_give_an_extraction() -> None:
    chance = random.Random(1604)
    for page in OWN_PAGES[::10]:
        for _ in range(5):
            extraction = extract(mutate_page(page.body.decode("utf-8", "replace"), chance))
            assert set(json.loads(extraction.structured_data)) == PARTS
            assert len(extraction.markdown) <= 6 * len(page.body) + 200_000


def test_a5_every_annotated_piece_is_in_its_page() -> None:
    assert {kind: sum(page.group == kind for page in OWN_PAGES) for kind in KINDS} == dict.fromkeys(KINDS, 20)
    for page in OWN_PAGES:
        text = fold(LexborHTMLParser(page.body).text(separator=" "))
        joined = fold(LexborHTMLParser(page.body).text())
        for piece in (*page.wanted, *page.unwanted):
            assert fold(piece) in text or fold(piece) in joined, (page.url, piece)


def test_a5_a_url_that_is_none_is_refused() -> None:
    with pytest.raises(NativeError):
        Extraction(READER, b"", url="nowhere")


def test_a5_an_extraction_has_a_version() -> None:
    assert EXTRACTION_VERSION >= 1


BANNERS = (
    '<div id="cookie-banner" class="cookie-consent">We use cookies. <button>Accept all</button></div>',
    '<div role="dialog" aria-label="Cookies">We use cookies. <button>Accept all</button></div>',
    "",
)


@pytest.mark.parametrize("banner", BANNERS)
@pytest.mark.parametrize("is_first", [True, False])
def test_a5_a_list_of_links_in_main_is_kept_and_what_is_around_it_is_not(banner: str, is_first: bool) -> None:
    page = (
        "<main><h1>Hats</h1><ul><li><a href=/1>Hat 1</a> €5<li><a href=/2>Hat 2</a> €6</ul></main>"
        "<footer><a href=/p>Privacy</a></footer>"
    )
    text = f"<nav><a href=/a>A</a></nav>{banner}{page}" if is_first else f"<nav><a href=/a>A</a></nav>{page}{banner}"
    expected = "# Hats\n\n- [Hat 1](https://a.test/1) €5\n- [Hat 2](https://a.test/2) €6"
    assert extract(text).markdown == expected


def test_a5_plain_text_keeps_its_lines() -> None:
    extraction = extract("one\ntwo\n\nthree\n", "text/plain")
    assert extraction.main_text == "one\ntwo\nthree"
    assert extraction.markdown == "one  \ntwo\n\nthree"


def test_a5_markdown_has_captions_and_raised_text() -> None:
    figure = "<figure><img src=x><figcaption>The old ferry</figcaption></figure>"
    extraction = extract(f"<article><p>{PROSE}</p>{figure}<p>{PROSE} E=mc<sup>2</sup></p></article>")
    assert extraction.markdown == f"{PROSE}\n\nThe old ferry\n\n{PROSE} E=mc<sup>2</sup>"
    assert extraction.main_text == f"{PROSE}\n{PROSE} E=mc2"
