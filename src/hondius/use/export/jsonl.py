"""One JSON object a line for every URL that has ended."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hondius.crawler.translation import make_identity, product_token
from hondius.errors import Broken, HondiusError
from hondius.hints import quote_command
from hondius.model import State
from hondius.opening import Crawl
from hondius.ports import Catalog
from hondius.use.export.content import Content, Contents, body_fields, is_text
from hondius.use.export.rows import row_of
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
    """Returns how many rows there are, in the order of the key. Of a page that asks not to be indexed only its end is
    told, unless `noindex` asks for its content too (D4)."""
    settings = crawl.settings
    identity, agent = make_identity(settings), product_token(settings)
    contents = Contents(crawl.archive, crawl.catalog, identity, agent, settings.fetch.page_cap)
    damaged: list[str] = []
    rows = write_lines(_lines(crawl.catalog, contents, states, text, body, noindex, damaged), output)
    if damaged:
        bodies = "1 body" if len(damaged) == 1 else f"{len(damaged):,} bodies"
        raise Broken(
            f"{bodies} could not be read, {damaged[0]} first; their rows have none: "
            f"run {quote_command('verify', crawl.name)} to see which files are damaged"
        )
    return rows


def _lines(
    catalog: Catalog,
    contents: Contents,
    states: Sequence[str],
    text: bool,
    body: bool,
    noindex: bool,
    damaged: list[str],
) -> Iterator[bytes]:
    for page in catalog.pages(states):
        row = row_of(page)
        if page["noindex"] and not noindex:
            row |= {"title": "", "simhash": None}
        elif text or body:
            content = _content(contents, page, damaged)
            if text:
                row["text"] = contents.text(page, content) if content is not None and _was_read(page) else None
            if body:
                row |= body_fields(page, content)
        yield msgspec.json.encode(row) + b"\n"


def _was_read(page: dict[str, Any]) -> bool:
    """Only of a page that was understood is there a text."""
    return is_text(page) and page["state"] in (State.COMPLETED, State.DUPLICATE)


def _content(contents: Contents, page: dict[str, Any], damaged: list[str]) -> Content | None:
    """One damaged record costs its own row its body, and no other."""
    try:
        return contents.of(page)
    except HondiusError:
        damaged.append(page["url"])
        return None
