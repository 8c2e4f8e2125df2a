"""`hondius explain`: everything known of one URL; also while the crawl runs (O5)."""

import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from hondius.crawler.seeds import with_scheme
from hondius.crawler.translation import make_identity
from hondius.errors import DirectoryInUse, WrongUse
from hondius.opening import open_crawl, place_of
from hondius.operate.cli.harmless import harmless_json
from hondius.operate.cli.options import Directory, Json
from hondius.operate.cli.plain import printable, say, whole_text
from hondius.operate.cli.quantities import moment_of
from hondius.settings import Settings

if TYPE_CHECKING:
    from hondius.use.explain.explanation import Explanation, Tried


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
    try_now: Annotated[
        bool,
        typer.Option(
            "--try",
            help="Also do now what the crawl would do: look the name up, read robots.txt and, where it is allowed and "
            "the host's turn has come, fetch the page. Nothing of it is kept. Not while the crawl runs.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Tell everything known of a URL: how it was found, what became of it, what it waits for, why it is not there."""
    from hondius.operate.cli.display.explained import told
    from hondius.use.explain import explain_url

    if try_now and at is not None:
        raise WrongUse("--try is for now, and --at for the past: choose one of them")
    url = with_scheme(whole_text(url).strip())
    then = None if at is None else moment_of(at, "--at", time.time())
    with open_crawl(directory) as crawl:
        explanation, settings = explain_url(crawl, url, then), crawl.settings
    if explanation.identity.reason is not None:
        why = f"{printable(url)} is no URL that can be crawled ({explanation.identity.reason})"
        raise WrongUse(f"{why}: write it like https://example.com/page")
    if try_now:
        explanation = msgspec.structs.replace(explanation, tried=_tried(directory, explanation, settings))
    if json:
        print(harmless_json(msgspec.json.encode(explanation).decode()))
        return
    for line in told(explanation, url):
        print(printable(line))


def _tried(directory: Path, explanation: "Explanation", settings: Settings) -> "Tried":
    """What the crawl would not request is not requested here."""
    from hondius.crawler.opening import Watch, open_stores
    from hondius.use.explain.explanation import Tried
    from hondius.use.trial import try_url

    scope = explanation.scope
    if scope is not None and (refused := "blacklisted" if scope.blacklisted else scope.refused):
        return Tried(f"nothing was asked for: the crawl refuses this URL ({refused})")
    place = place_of(directory)
    try:
        with place.lock(), ExitStack() as stack:
            stores = open_stores(stack, place, settings, Watch(notice=say))
            return try_url(make_identity(settings).parse(explanation.url), settings, stores)
    except DirectoryInUse:
        raise DirectoryInUse(
            f"{directory} is in use by process {place.holder() or 'unknown'}, which may be asking the same host: "
            "--try needs a crawl that does not run; wait for its end, or leave --try out"
        ) from None
