"""`hondius rebuild`."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hondius.hints import quote_command
from hondius.opening import open_settings
from hondius.operate.cli.at_rest import at_rest
from hondius.operate.cli.options import Directory
from hondius.operate.cli.quantities import counted
from hondius.operate.cli.streams import ours

if TYPE_CHECKING:
    from hondius.use.rebuild import Gap, Restored


def register(app: typer.Typer) -> None:
    app.command("rebuild")(rebuild)


def rebuild(
    directory: Directory,
    salvage: Annotated[
        bool, typer.Option("--salvage", help="Go on with what can be read of a log that is damaged.")
    ] = False,
) -> None:
    """Make the catalog and the URL store anew from the log, and links that are not kept from the archive."""
    from hondius.use.rebuild import VIEWS, rebuild_views, salvage_log

    settings = open_settings(directory)
    with at_rest(directory):
        if salvage:
            _tell_lost(directory, salvage_log(directory, settings))
        rebuilt = rebuild_views(directory, settings, _progress)
    print(f"{directory}: {VIEWS} were made anew from {counted(rebuilt.frames, 'frame')}")
    _tell_links(rebuilt.links)


def _tell_links(links: "Restored") -> None:
    if links.pages:
        print(f"links: those of {counted(links.pages, 'page')} were read again from the archive")
    if links.lost:
        print(f"links: those of {counted(links.lost, 'page')} are lost, whose bodies are not in the archive")
    if links.missing:
        print(
            f"links: those of {counted(links.missing, 'page')} were never kept, and their bodies are not in the archive"
        )


def _tell_lost(directory: Path, gaps: Sequence["Gap"]) -> None:
    if not gaps:
        return print("the log can be read from its first frame to its last")
    for gap in gaps:
        around = [f"{word} {_time(at)}" for word, at in (("after", gap.after), ("before", gap.before)) if at]
        when = f", {' and '.join(around)}" if around else ""
        print(f"lost: {counted(gap.last - gap.first + 1, 'frame')} from {gap.first:,} on{when}")
    print(
        f"{quote_command('resume', directory)} fetches the pages of that time again, and finds their links again. "
        "Give again what you gave then: seeds, and orders to blacklist, pause or recrawl. "
        "Files that could not be read are kept in log/ as *.damaged"
    )
    return None


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done:,} of {of:,} frames", end="" if done < of else "\n", file=ours(of_errors=True), flush=True)
