"""`hondius explain`: shows everything known about one URL; also works while the crawl runs (O5)."""

import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from hondius.crawler.seeds import add_scheme
from hondius.crawler.translation import make_identity
from hondius.errors import DirectoryInUse, WrongUse
from hondius.opening import open_crawl, place_of
from hondius.operate.cli.messages import say
from hondius.operate.cli.options import Directory, Json
from hondius.quantities import parse_moment
from hondius.sanitise import escape_controls_in_json, make_printable, replace_surrogates
from hondius.settings import Settings

if TYPE_CHECKING:
    from hondius.use.explain.explanation import Explanation, Tried


def register(app: typer.Typer) -> None:
    app.command("explain")(explain)


def explain(
    directory: Directory,
    url: Annotated[str, typer.Argument(help="A URL; without a scheme, https:// is used.")],
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Show what was known then: 2026-11-15T08:30 (UTC, or with an offset), -2h or -30min."
        ),
    ] = None,
    try_now: Annotated[
        bool,
        typer.Option(
            "--try",
            help="Also do now what the crawl would do: resolve the name, fetch robots.txt and, if that allows it, wait "
            "for the host's delay (at most two minutes) and fetch the page. The page is not saved; the request is "
            "recorded, and the host's delay counts from it. Needs a crawl that is not running.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Show everything known about a URL: how it was found, its result, what it waits for, or why it is missing."""
    from hondius.operate.cli.display.explanation import format_explanation
    from hondius.use.explain import explain_url

    if try_now and at is not None:
        raise WrongUse("--try is about now, and --at about the past: choose one of them")
    url = add_scheme(replace_surrogates(url).strip())
    then = None if at is None else parse_moment(at, "--at", time.time())
    with open_crawl(directory) as crawl:
        explanation, settings = explain_url(crawl, url, then), crawl.settings
    if explanation.identity.reason is not None:
        why = f"{make_printable(url)} is no URL that can be crawled ({explanation.identity.reason})"
        raise WrongUse(f"{why}: write it like https://example.com/page")
    if try_now:
        explanation = msgspec.structs.replace(explanation, tried=_try_now(directory, explanation, settings))
    if json:
        print(escape_controls_in_json(msgspec.json.encode(explanation).decode()))
        return
    for line in format_explanation(explanation, url):
        print(make_printable(line))


def _try_now(directory: Path, explanation: "Explanation", settings: Settings) -> "Tried":
    """Does not request anything that the crawl would not request."""
    from hondius.crawler.store_opening import Watch, open_stores
    from hondius.use.explain.explanation import Tried
    from hondius.use.trial import try_url

    scope = explanation.scope
    if scope is not None and (refused := "blacklisted" if scope.blacklisted else scope.refused):
        return Tried(f"nothing was requested: the crawl refuses this URL ({refused})")
    place = place_of(directory)
    try:
        with place.lock(), ExitStack() as stack:
            stores = open_stores(stack, place, settings, Watch(notice=say))
            return try_url(make_identity(settings).parse(explanation.url), settings, stores)
    except DirectoryInUse:
        raise DirectoryInUse(
            f"{directory} is in use by process {place.holder() or 'unknown'}, which may be contacting the same host: "
            "--try needs a crawl that is not running; wait until it ends, or leave --try out"
        ) from None
