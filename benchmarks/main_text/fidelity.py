"""Is the structure of a page kept? Compares headings, code blocks, table cells and list items of Markdown and source.

The source is read by lexbor and the Markdown by markdown-it: neither shares code with Hondius. White space does not
count, and neither do parts without text.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token
from selectolax.lexbor import LexborHTMLParser

SELECTORS = {"headings": "h1, h2, h3, h4, h5, h6", "code blocks": "pre", "table cells": "td, th", "list items": "li"}
PARTS = tuple(SELECTORS)
SHOWN = 120

Parts = dict[str, list[str]]
"""The text of each part of a kind, in document order."""


@dataclass(frozen=True)
class Source:
    parts: Parts
    laid_out: int
    """Cells of tables that lay out the page: one row without a heading. They are no parts; what they hold is."""
    flattened: int
    """List items in cells of other tables. They are text of their cells: a cell of Markdown is one line."""


@dataclass(frozen=True)
class Difference:
    part: str
    missing: tuple[str, ...]
    surplus: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.part}: missing {self.missing[:2]!r}, surplus {self.surplus[:2]!r}"


def read_html(text: str) -> Source | None:
    """Of the innermost main element of a Sphinx page, without the signs that link to headings; None if there is none."""
    mains = LexborHTMLParser(text).css("[role=main]")
    if not mains:
        return None
    main = mains[-1]
    for unseen in main.css("a.headerlink, script, style"):
        unseen.decompose()
    parts = {part: _squeeze_all(node.text() for node in main.css(selector)) for part, selector in SELECTORS.items()}
    tables = [table for table in main.css("table") if table.css("th") or len(table.css("tr")) > 1]
    cells = [cell for table in tables for cell in table.css("td, th")]
    laid_out = len(main.css("td, th")) - len(cells)
    parts["table cells"] = _squeeze_all(cell.text() for cell in cells)
    flattened = [item for cell in cells for item in _squeeze_all(node.text() for node in cell.css("li"))]
    parts["list items"] = _remove(parts["list items"], flattened)
    return Source(parts, laid_out, len(flattened))


def read_markdown(text: str) -> Parts:
    found: Parts = {part: [] for part in PARTS}
    open_items: list[int] = []
    before = ""
    items = found["list items"]
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        if token.type == "list_item_open":
            open_items.append(len(items))
            items.append("")
        elif token.type == "list_item_close":
            open_items.pop()
        elif token.type in ("fence", "code_block", "inline"):
            content = _plain_text(token) if token.type == "inline" else token.content
            for item in open_items:
                items[item] += content
            if part := _part_of(token.type, before):
                found[part].append(content)
        before = token.type
    return {part: _squeeze_all(texts) for part, texts in found.items()}


def compare(source: Parts, written: Parts) -> list[Difference]:
    return [
        Difference(part, _subtract(source[part], written[part]), _subtract(written[part], source[part]))
        for part in PARTS
        if source[part] != written[part]
    ]


def _part_of(kind: str, before: str) -> str | None:
    if kind != "inline":
        return "code blocks"
    return {"heading_open": "headings", "th_open": "table cells", "td_open": "table cells"}.get(before)


def _plain_text(token: Token) -> str:
    return "".join(child.content for child in token.children or () if child.type in ("text", "code_inline"))


def _squeeze_all(texts: Iterable[str]) -> list[str]:
    return [squeezed for text in texts if (squeezed := squeeze(text))]


def squeeze(text: str) -> str:
    return "".join(text.split())


def _subtract(texts: list[str], others: list[str]) -> tuple[str, ...]:
    return tuple(text[:SHOWN] for text in _remove(texts, others))


def _remove(texts: list[str], others: list[str]) -> list[str]:
    """The texts without the others, each as often as it is there."""
    left = Counter(others)
    kept = []
    for text in texts:
        if left[text]:
            left[text] -= 1
        else:
            kept.append(text)
    return kept
