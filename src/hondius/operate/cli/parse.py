"""`hondius url`, `hondius robots` and `hondius parse`: what Hondius makes of a URL, a robots.txt, a page (O1b).

They ask the native parts that a crawl asks, and nothing else: no directory, no network.
"""

import base64
import binascii
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from hondius.crawler.seeds import with_scheme
from hondius.crawler.translation import PRODUCT, make_identity, product_of
from hondius.errors import WrongUse
from hondius.native import Identity, Link, NativeError, Page, Reader, Robots
from hondius.operate.cli.batch import Answer, BadLine, Request, answer_lines, one_by_one, standard_input, text_of
from hondius.operate.cli.plain import printable, whole_text
from hondius.operate.cli.settings_option import chosen
from hondius.settings import settings_from

LARGEST_FILE = 50_000_000
"""As the largest body that a crawl takes (H2)."""
NO_HOST = "http://host.invalid/"
"""Whose robots.txt it is does not matter to its rules."""

Batch = Annotated[bool, typer.Option("--batch", help="JSON lines on standard input, JSON lines on standard output.")]


def register(app: typer.Typer) -> None:
    app.command("url")(url)
    app.command("robots")(robots)
    app.command("parse")(parse)


def url(
    texts: Annotated[
        list[str] | None, typer.Argument(help="URLs; without a scheme, https:// is meant.", show_default=False)
    ] = None,
    base: Annotated[str | None, typer.Option(help="What relative ones are resolved against.")] = None,
    batch: Batch = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="identity.NAME=VALUE", help="A switch of identity, or its version; may be repeated."
        ),
    ] = None,
) -> None:
    """Show what a URL is requested by (href) and known by (key form, key), or why it is none.

    A line of --batch is {"input", "base"}, its answer {"href", "key_form", "key", "reason"}.
    """
    identity = make_identity(settings_from(chosen(settings or (), only="identity")))
    if batch:
        _refuse_beside_batch(texts=texts, base=base)
        return answer_lines(lambda requests: _urls(identity, requests))
    if not texts:
        raise WrongUse("no URL to look at: name one, or use --batch")
    asked = texts if base is not None else [with_scheme(text) for text in texts]
    for text, (href, key_form, key, reason) in zip(
        texts, identity.batch([(text, base) for text in asked]), strict=True
    ):
        print(f"{printable(text)}")
        if reason is not None:
            print(f"  reason    {reason}")
        else:
            print(f"  href      {href}\n  key form  {key_form}\n  key       {key}")
    return None


def robots(
    file: Annotated[Path | None, typer.Argument(help="A robots.txt; `-` is standard input.")] = None,
    address: Annotated[str | None, typer.Argument(metavar="URL", help="A URL, or a path.")] = None,
    agent: Annotated[str | None, typer.Option(help="Product token or user agent. Default: Hondius.")] = None,
    batch: Batch = False,
) -> None:
    """Show whether a robots.txt allows a URL, and which line decides.

    A line of --batch is {"robots_b64", "agent", "url"}, its answer {"allowed", "line", "rule"}.
    """
    if batch:
        _refuse_beside_batch(file=file, url=address, agent=agent)
        return answer_lines(one_by_one(_robots_answer, {"allowed": None, "line": None, "rule": None}))
    if file is None or address is None:
        raise WrongUse("robots needs a file and a URL, like `hondius robots robots.txt https://example.com/page`")
    rules = Robots(_read(file), product(whole_text(agent or PRODUCT)))
    try:
        allowed, line, rule = rules.allowed(_path(address))
    except BadLine as bad:
        raise WrongUse(f"{printable(address)} is no URL ({bad}): write it like https://example.com/page") from None
    print("allowed" if allowed else "not allowed")
    print(f"  rule         {f'line {line}: {printable(rule)}' if line else 'none'}")
    print(f"  crawl-delay  {'none' if rules.crawl_delay is None else f'{rules.crawl_delay:g} s'}")
    print(f"  sitemaps     {', '.join(map(printable, rules.sitemaps)) or 'none'}")
    return None


def parse(
    file: Annotated[Path | None, typer.Argument(help="A page; `-` is standard input.")] = None,
    base: Annotated[str | None, typer.Option(help="The URL that it came from.")] = None,
    content_type: Annotated[
        str | None, typer.Option(help="As its server said it, like 'text/html; charset=x'.")
    ] = None,
    batch: Batch = False,
) -> None:
    """Show what a crawl reads from a page, as JSON: charset, title, directives, links, text and more.

    A line of --batch is {"body_b64", "base", "content_type"}, its answer the same object.
    """
    reader = Reader(Identity(), agent_token=PRODUCT)
    if batch:
        _refuse_beside_batch(file=file, base=base, content_type=content_type)
        return answer_lines(one_by_one(lambda request: _parse_answer(reader, request), dict.fromkeys(PAGE_FIELDS)))
    if file is None or base is None:
        raise WrongUse("parse needs a file and its URL, like `hondius parse page.html --base https://example.com/page`")
    try:
        page = _read_page(reader, _read(file), base, whole_text(content_type or ""))
    except BadLine as bad:
        raise WrongUse(f"--base {printable(base)} is no URL ({bad}): write it like https://example.com/page") from None
    encoded = msgspec.json.encode(page)
    shown = msgspec.json.format(encoded, indent=2) if sys.stdout.isatty() else encoded
    sys.stdout.buffer.write(shown + b"\n")
    sys.stdout.buffer.flush()
    return None


# ---- answers -------------------------------------------------------------------------------------


def _urls(identity: Identity, requests: Sequence[Request | BadLine]) -> list[Answer]:
    """Those that ask are asked together: this is the call that a page's links take."""
    rows: list[tuple[str, str | None] | BadLine] = [_url_row(request) for request in requests]
    found = iter(identity.batch([row for row in rows if not isinstance(row, BadLine)]))
    answers = ((None, None, None, str(row)) if isinstance(row, BadLine) else next(found) for row in rows)
    return [dict(zip(("href", "key_form", "key", "reason"), answer, strict=True)) for answer in answers]


def _url_row(request: Request | BadLine) -> tuple[str, str | None] | BadLine:
    if isinstance(request, BadLine):
        return request
    try:
        base = None if request.get("base") is None else text_of(request, "base")
        return text_of(request, "input"), base
    except BadLine as bad:
        return bad


def _robots_answer(request: Request) -> Answer:
    rules = Robots(_octets(request, "robots_b64"), product(text_of(request, "agent", PRODUCT)))
    allowed, line, rule = rules.allowed(_path(text_of(request, "url")))
    return {"allowed": allowed, "line": line or None, "rule": rule or None}


def _path(address: str) -> str:
    """Nothing is the root, as for a host without a path."""
    if not address:
        return "/"
    try:
        return Identity().parse(address, NO_HOST if address.startswith("/") else None).path_and_query
    except NativeError as error:
        raise BadLine(str(error)) from None


def product(agent: str) -> str:
    """A user agent (`Hondius/0.1 (+contact)`) is meant by its first product, as in a crawl; a bare token by itself."""
    return product_of(agent) if "/" in agent else agent


PAGE_FIELDS = ("charset", "title", "description", "canonical", "language", "directives", "links", "text", "simhash")


def _parse_answer(reader: Reader, request: Request) -> Answer:
    body = _octets(request, "body_b64")
    return _read_page(reader, body, text_of(request, "base"), text_of(request, "content_type", ""))


def _read_page(reader: Reader, body: bytes, base: str, content_type: str) -> Answer:
    try:
        address = Identity().parse(base).href
    except NativeError as error:
        raise BadLine(str(error)) from None
    page = reader.read(body, url=address, content_type=content_type)
    values = (
        *(page.charset, page.title, page.description, page.canonical, page.language),
        *(_directives(page), [_link(link) for link in page.links], page.text),
        None if page.simhash is None else f"{page.simhash:016x}",
    )
    return dict(zip(PAGE_FIELDS, values, strict=True))


def _directives(page: Page) -> list[str]:
    stated = (("noindex", page.noindex), ("nofollow", page.nofollow), ("noarchive", page.noarchive))
    return [name for name, said in stated if said]


def _link(link: Link) -> dict[str, Any]:
    return {"href": link.href, "kind": link.kind, "nofollow": link.nofollow, "anchor": link.anchor}


# ---- what is given -------------------------------------------------------------------------------


def _octets(request: Request, name: str) -> bytes:
    try:
        return base64.b64decode(text_of(request, name), validate=True)
    except (binascii.Error, ValueError) as error:
        raise error if isinstance(error, BadLine) else BadLine(f"bad_{name}") from None


def _read(file: Path) -> bytes:
    try:
        if str(file) == "-":
            data = standard_input().buffer.read(LARGEST_FILE + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(LARGEST_FILE + 1)
    except OSError as error:
        raise WrongUse(f"{file} cannot be read ({error.strerror}): check the path") from None
    if len(data) > LARGEST_FILE:
        raise WrongUse(f"{file} is larger than {LARGEST_FILE // 10**6} MB, more than any crawl reads: shorten it")
    return data


def _refuse_beside_batch(**given: object) -> None:
    for name, value in given.items():
        if value:
            raise WrongUse(f"--batch reads everything from standard input: leave {name.replace('_', '-')} out")
