"""Writes one JSON object a line for every URL that has ended."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hondius.crawler.translation import make_identity, product_token
from hondius.errors import Broken, HondiusError
from hondius.hints import quote_command
from hondius.model import PageFilter, State
from hondius.opening import Crawl
from hondius.ports import Catalog
from hondius.use.content.reading import Content, ContentReader, is_text, make_body_fields
from hondius.use.export.rows import make_row
from hondius.use.output import write_lines


def export_jsonl(
    crawl: Crawl,
    output: Path | None = None,
    *,
    states: Sequence[str] = (),
    text: bool = False,
    body: bool = False,
    noindex: bool = False,
) -> int:
    """Writes rows in the order of the key, and returns their number. A page that asks not to be indexed has no title,
    text or body in its row, unless `noindex` is set (D4)."""
    settings = crawl.settings
    identity, agent = make_identity(settings), product_token(settings)
    contents = ContentReader(crawl.archive, crawl.catalog, identity, agent, settings.fetch.page_cap)
    damaged: list[str] = []
    rows = write_lines(_generate_lines(crawl.catalog, contents, states, text, body, noindex, damaged), output)
    if damaged:
        bodies = "1 body" if len(damaged) == 1 else f"{len(damaged):,} bodies"
        raise Broken(
            f"{bodies} could not be read, {damaged[0]} first; the rows of these pages have no body: "
            f"run {quote_command('verify', crawl.name)} to see which files are damaged"
        )
    return rows


def _generate_lines(
    catalog: Catalog,
    contents: ContentReader,
    states: Sequence[str],
    text: bool,
    body: bool,
    noindex: bool,
    damaged: list[str],
) -> Iterator[bytes]:
    for page in catalog.pages(PageFilter(states=tuple(states))):
        row = make_row(page)
        if page["noindex"] and not noindex:
            row |= {"title": "", "simhash": None}
        elif text or body:
            content = _read_content(contents, page, damaged)
            if text:
                row["text"] = contents.extract_text(page, content) if content is not None and _has_text(page) else None
            if body:
                row |= make_body_fields(page, content)
        yield msgspec.json.encode(row) + b"\n"


def _has_text(page: dict[str, Any]) -> bool:
    """True for text pages whose analysis succeeded."""
    return is_text(page) and page["state"] in (State.COMPLETED, State.DUPLICATE)


def _read_content(contents: ContentReader, page: dict[str, Any], damaged: list[str]) -> Content | None:
    """A damaged record affects only its own row, which then has no body."""
    try:
        return contents.read(page)
    except HondiusError:
        damaged.append(page["url"])
        return None
