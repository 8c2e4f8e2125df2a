"""`hondius parse`: shows what Hondius extracts from a page (O1b).

It calls the same native code as a crawl, and needs neither a directory nor the network.
"""

import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from hondius.crawler.translation import PRODUCT
from hondius.errors import WrongUse
from hondius.native import Extraction, Identity, Link, NativeError, Page, Reader
from hondius.operate.cli.batch import (
    BadLine,
    Batch,
    Query,
    Result,
    answer_each,
    answer_queries,
    decode_base64,
    get_text,
    read_input,
    refuse_with_batch,
)
from hondius.sanitise import make_printable, replace_surrogates

PAGE_FIELDS = (
    *("charset", "title", "description", "canonical", "language", "directives", "links", "text", "simhash"),
    *("main_text", "markdown", "structured_data"),
)


def register(app: typer.Typer) -> None:
    app.command("parse")(parse)


def parse(
    file: Annotated[Path | None, typer.Argument(help="A page; `-` is standard input.")] = None,
    base: Annotated[str | None, typer.Option(help="The URL of the page.")] = None,
    content_type: Annotated[
        str | None, typer.Option(help="The Content-Type header, like 'text/html; charset=x'.")
    ] = None,
    batch: Batch = False,
) -> None:
    """Show what Hondius reads from a page, as JSON: charset, title, links, text, main text, Markdown and more.

    A line of --batch is {"body_b64", "base", "content_type"}, its result the same object.
    """
    reader = Reader(Identity(), agent_token=PRODUCT)
    if batch:
        refuse_with_batch(file=file, base=base, content_type=content_type)
        return answer_queries(answer_each(lambda request: _answer_query(reader, request), dict.fromkeys(PAGE_FIELDS)))
    if file is None or base is None:
        raise WrongUse("parse needs a file and its URL, like `hondius parse page.html --base https://example.com/page`")
    try:
        page = _read_page(reader, read_input(file), base, replace_surrogates(content_type or ""))
    except BadLine as bad:
        raise WrongUse(
            f"--base {make_printable(base)} is no URL ({bad}): write it like https://example.com/page"
        ) from None
    encoded = msgspec.json.encode(page)
    output = msgspec.json.format(encoded, indent=2) if sys.stdout.isatty() else encoded
    sys.stdout.buffer.write(output + b"\n")
    sys.stdout.buffer.flush()
    return None


def _answer_query(reader: Reader, request: Query) -> Result:
    body = decode_base64(request, "body_b64")
    return _read_page(reader, body, get_text(request, "base"), get_text(request, "content_type", ""))


def _read_page(reader: Reader, body: bytes, base: str, content_type: str) -> Result:
    try:
        address = Identity().parse(base).href
    except NativeError as error:
        raise BadLine(str(error)) from None
    page = reader.read(body, url=address, content_type=content_type)
    extraction = Extraction(reader, body, url=address, content_type=content_type)
    values = (
        *(page.charset, page.title, page.description, page.canonical, page.language),
        *(_list_directives(page), [_link_to_json(link) for link in page.links], page.text),
        None if page.simhash is None else f"{page.simhash:016x}",
        *(extraction.main_text, extraction.markdown, msgspec.Raw(extraction.structured_data.encode())),
    )
    return dict(zip(PAGE_FIELDS, values, strict=True))


def _list_directives(page: Page) -> list[str]:
    stated = (("noindex", page.noindex), ("nofollow", page.nofollow), ("noarchive", page.noarchive))
    return [name for name, said in stated if said]


def _link_to_json(link: Link) -> dict[str, Any]:
    return {"href": link.href, "kind": link.kind, "nofollow": link.nofollow, "anchor": link.anchor}
