"""`hondius url`: shows how Hondius normalises and identifies a URL (O1b).

It calls the same native code as a crawl, and needs neither a directory nor the network.
"""

from collections.abc import Sequence
from typing import Annotated

import typer

from hondius.crawler.seeds import add_scheme
from hondius.crawler.translation import make_identity
from hondius.errors import WrongUse
from hondius.native import Identity
from hondius.operate.cli.batch import BadLine, Batch, Query, Result, answer_queries, get_text, refuse_with_batch
from hondius.operate.cli.set_option import parse_assignments
from hondius.sanitise import make_printable
from hondius.settings import make_settings


def register(app: typer.Typer) -> None:
    app.command("url")(url)


def url(
    texts: Annotated[
        list[str] | None, typer.Argument(help="URLs; without a scheme, https:// is used.", show_default=False)
    ] = None,
    base: Annotated[str | None, typer.Option(help="Base URL for relative URLs.")] = None,
    batch: Batch = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="identity.NAME=VALUE", help="A setting of the section `identity`; may be repeated."
        ),
    ] = None,
) -> None:
    """Show how a URL is requested (href) and identified (key form, key), or why it is not valid.

    A line of --batch is {"input", "base"}, its result {"href", "key_form", "key", "reason"}.
    """
    identity = make_identity(make_settings(parse_assignments(settings or (), only="identity")))
    if batch:
        refuse_with_batch(texts=texts, base=base)
        return answer_queries(lambda requests: _answer_queries(identity, requests))
    if not texts:
        raise WrongUse("no URL given: name one, or use --batch")
    asked = texts if base is not None else [add_scheme(text) for text in texts]
    for text, (href, key_form, key, reason) in zip(
        texts, identity.batch([(text, base) for text in asked]), strict=True
    ):
        print(f"{make_printable(text)}")
        if reason is not None:
            print(f"  reason    {reason}")
        else:
            print(f"  href      {href}\n  key form  {key_form}\n  key       {key}")
    return None


def _answer_queries(identity: Identity, requests: Sequence[Query | BadLine]) -> list[Result]:
    """Handles all queries in one native call, as a crawl does with the links of a page."""
    rows: list[tuple[str, str | None] | BadLine] = [_parse_row(request) for request in requests]
    found = iter(identity.batch([row for row in rows if not isinstance(row, BadLine)]))
    answers = ((None, None, None, str(row)) if isinstance(row, BadLine) else next(found) for row in rows)
    return [dict(zip(("href", "key_form", "key", "reason"), answer, strict=True)) for answer in answers]


def _parse_row(request: Query | BadLine) -> tuple[str, str | None] | BadLine:
    if isinstance(request, BadLine):
        return request
    try:
        base = None if request.get("base") is None else get_text(request, "base")
        return get_text(request, "input"), base
    except BadLine as bad:
        return bad
