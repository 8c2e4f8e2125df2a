"""`hondius diff`: what changed in the text of a page between two visits (R6)."""

from typing import Annotated

import msgspec
import typer

from hondius.native import now
from hondius.opening import open_crawl
from hondius.operate.cli import options
from hondius.operate.cli.messages import say
from hondius.quantities import parse_moment
from hondius.sanitise import escape_controls_in_json, make_printable


def register(app: typer.Typer) -> None:
    app.command("diff")(diff)


def diff(
    directory: options.Directory,
    url: Annotated[str, typer.Argument(help="URL of the page.", show_default=False)],
    before: Annotated[
        str | None,
        typer.Option(
            "--from", help="The text as it was then: 2026-11-15, 2026-11-15T08:30 or -2h. Default: before it differed."
        ),
    ] = None,
    after: Annotated[
        str | None, typer.Option("--to", help="Compare with the text as it was then. Default: the last one.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Show what changed in the text of a page between two visits. The bodies must be in the archive."""
    from hondius.use.changes import compare_visits

    at = now()
    moments = [
        None if text is None else parse_moment(text, option, at)
        for text, option in ((before, "--from"), (after, "--to"))
    ]
    with open_crawl(directory) as crawl:
        found = compare_visits(crawl, url, *moments)
    if json:
        print(escape_controls_in_json(msgspec.json.encode(found).decode()))
        return
    print(make_printable(f"--- {found.url} {found.before}"))
    print(make_printable(f"+++ {found.url} {found.after}"))
    for line in found.lines:
        print(make_printable(line))
    if not found.lines:
        say("the texts are equal")
    elif not found.is_change:
        say("nothing of this counts as a change: dates of the page, counters, and teasers of other pages")
