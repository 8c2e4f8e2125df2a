"""A5: the Markdown keeps the structure of a page, reads back as its text, and is safe to render."""

import random
from collections.abc import Iterator

import pytest
from benchmarks.main_text.fidelity import compare, read_html, read_markdown, squeeze
from benchmarks.main_text.pages import AnnotatedPage, read_own_pages
from markdown_it import MarkdownIt
from markdown_it.token import Token

from hondius.native import Extraction, Identity, Reader

READER = Reader(Identity(), agent_token="hondius")
URL = "https://a.test/dir/page.html"
OWN_PAGES = tuple(read_own_pages())
MANUALS = tuple(page for page in OWN_PAGES if page.group == "documentation" and b"sphinx" in page.body.lower())
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
"""Raw HTML is on: what would be read as HTML must not be there."""
PROSE = (
    "The ferry leaves the island every morning at six, and whoever misses it waits until the next day for another one."
)
PIECES = (
    *("&lt;", "script", ">", "/", "<b>", "</b>", "<i></i>", "<a href=/x>", "</a>", "<a href='javascript:x'>", "<br>"),
    *(
        "<p>",
        "<h2>",
        "<ul><li>",
        "<ol start=7><li>",
        "</li></ul>",
        "<pre>",
        "</pre>",
        "<code>",
        "</code>",
        "<blockquote>",
    ),
    *(
        "</blockquote>",
        "<table><tr><th>a<th>b<tr><td>",
        "<td>",
        "</table>",
        "*",
        "_",
        "`",
        "```",
        "~~",
        "~",
        "!",
        "[",
        "]",
    ),
    *(
        "(",
        ")",
        "|",
        "---",
        "===",
        "#",
        "# ",
        "- ",
        "+ ",
        "1. ",
        "\\",
        "&amp;",
        "&amp;lt;",
        "word",
        " ",
        "&#13;",
        "\n",
        ":",
    ),
)


def extract(html: str) -> Extraction:
    return Extraction(READER, html.encode(), url=URL, content_type="text/html; charset=utf-8")


def walk(markdown: str) -> Iterator[Token]:
    for token in PARSER.parse(markdown):
        yield token
        yield from token.children or ()


def find_unsafe(markdown: str) -> list[str]:
    """Raw HTML but for four tags that Hondius writes, images, and links that are no addresses of pages or people."""
    unsafe = [token.content for token in walk(markdown) if token.type in ("html_inline", "html_block", "image")]
    unsafe = [text for text in unsafe if text not in ("<sub>", "</sub>", "<sup>", "</sup>")]
    hrefs = [str(token.attrs["href"]) for token in walk(markdown) if token.type == "link_open"]
    return unsafe + [href for href in hrefs if not href.startswith(("http://", "https://", "mailto:"))]


def read_back(markdown: str) -> str:
    texts = ("text", "code_inline", "fence", "code_block")
    return squeeze("".join(token.content for token in walk(markdown) if token.type in texts))


@pytest.mark.parametrize("page", MANUALS, ids=lambda page: page.url)
def test_a5_headings_code_cells_and_items_of_a_manual_are_kept_in_order(page: AnnotatedPage) -> None:
    source = read_html(page.body.decode())
    assert source is not None
    assert compare(source.parts, read_markdown(extract(page.body.decode()).markdown)) == []


@pytest.mark.parametrize("page", OWN_PAGES, ids=lambda page: page.url)
def test_a5_markdown_reads_back_as_the_plain_text_and_is_safe(page: AnnotatedPage) -> None:
    extraction = Extraction(READER, page.body, url=page.url, content_type="text/html")
    assert find_unsafe(extraction.markdown) == []
    words = read_back(extraction.markdown)
    for line in extraction.main_text.split("\n"):
        text = line.lstrip("- 0123456789.\t")
        assert squeeze(text) in words, line


def test_a5_text_that_looks_like_markdown_stays_text_whatever_it_is() -> None:
    chance = random.Random(2024)
    for _ in range(400):
        middle = "".join(chance.choices(PIECES, k=chance.randint(2, 25)))
        extraction = extract(f"<article><p>{PROSE}</p><p>{middle}</p></article>")
        assert find_unsafe(extraction.markdown) == [], (middle, extraction.markdown)


@pytest.mark.parametrize(
    "text",
    ["# a", "- a", "1. a", "> a", "*a* _b_", "[a](b)", "`a`", "~~a~~", "&lt;", "<b>", "a\\", "![a](b)", "| a |", "---"],
)
def test_a5_each_sign_of_markdown_reads_back_as_itself(text: str) -> None:
    html = text.replace("&", "&amp;").replace("<", "&lt;")
    for page in (f"<p>{html}", f"<p>x<br>{html}", f"<ul><li>{html}</ul>", f"<h2>{html}</h2><p>x"):
        markdown = extract(f"<article><p>{PROSE}</p>{page}<p>{PROSE}</p></article>").markdown
        assert squeeze(text) in read_back(markdown), markdown
