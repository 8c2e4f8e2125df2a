"""`hondius url`: what Hondius makes of a URL (O1b).

It asks the native parts that a crawl asks, and nothing else: no directory, no network.
"""

from collections.abc import Sequence
from typing import Annotated

import typer

from hondius.crawler.seeds import with_scheme
from hondius.crawler.translation import make_identity
from hondius.errors import WrongUse
from hondius.native import Identity
from hondius.operate.cli.batch import Answer, BadLine, Batch, Request, answer_lines, refuse_beside_batch, text_of
from hondius.operate.cli.plain import printable
from hondius.operate.cli.settings_option import chosen
from hondius.settings import make_settings


def register(app: typer.Typer) -> None:
    app.command("url")(url)


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
    identity = make_identity(make_settings(chosen(settings or (), only="identity")))
    if batch:
        refuse_beside_batch(texts=texts, base=base)
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
