"""`hondius explain`: everything known of one URL; also while the crawl runs (O5)."""

import time
from typing import Annotated

import msgspec
import typer

from hondius.crawler.seeds import with_scheme
from hondius.errors import WrongUse
from hondius.opening import open_crawl
from hondius.operate.cli.harmless import harmless_json
from hondius.operate.cli.options import Directory, Json
from hondius.operate.cli.plain import printable, whole_text
from hondius.operate.cli.quantities import moment_of


def register(app: typer.Typer) -> None:
    app.command("explain")(explain)


def explain(
    directory: Directory,
    url: Annotated[str, typer.Argument(help="Without a scheme, https:// is meant.")],
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="What was known then: 2026-11-15T08:30 (UTC, or with an offset), -2h or -30min."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Tell everything known of a URL: how it was found, what became of it, what it waits for, why it is not there."""
    from hondius.operate.cli.explained import told
    from hondius.use.explain import explain_url

    url = with_scheme(whole_text(url).strip())
    then = None if at is None else moment_of(at, "--at", time.time())
    with open_crawl(directory) as crawl:
        explanation = explain_url(crawl, url, then)
    if explanation.identity.reason is not None:
        why = f"{printable(url)} is no URL that can be crawled ({explanation.identity.reason})"
        raise WrongUse(f"{why}: write it like https://example.com/page")
    if json:
        print(harmless_json(msgspec.json.encode(explanation).decode()))
        return
    for line in told(explanation, url):
        print(printable(line))
