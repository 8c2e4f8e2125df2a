"""`hondius rebuild`."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hondius.hints import quote_command
from hondius.opening import open_settings
from hondius.operate.cli.idle_lock import lock_idle_crawl
from hondius.operate.cli.options import Directory
from hondius.operate.cli.streams import get_trusted_stream
from hondius.quantities import format_count

if TYPE_CHECKING:
    from hondius.use.rebuild import Gap, RestoredLinks


def register(app: typer.Typer) -> None:
    app.command("rebuild")(rebuild)


def rebuild(
    directory: Directory,
    salvage: Annotated[
        bool, typer.Option("--salvage", help="Keep what can be read of a damaged log, and drop the rest.")
    ] = False,
) -> None:
    """Rebuild the catalog and the URL store from the log, and missing links from the archive."""
    from hondius.use.rebuild import VIEWS, rebuild_views, salvage_log

    settings = open_settings(directory)
    with lock_idle_crawl(directory):
        if salvage:
            _print_gaps(directory, salvage_log(directory, settings))
        rebuilt = rebuild_views(directory, settings, _show_progress)
    print(f"{directory}: {VIEWS} were rebuilt from {format_count(rebuilt.frames, 'frame')}")
    _print_links(rebuilt.links)


def _print_links(links: "RestoredLinks") -> None:
    if links.pages:
        print(f"links: those of {format_count(links.pages, 'page')} were restored from the archive")
    if links.lost:
        print(f"links: those of {format_count(links.lost, 'page')} are lost: the bodies are not in the archive")
    if links.missing:
        print(
            f"links: those of {format_count(links.missing, 'page')} were never stored, and the bodies are not in the "
            "archive"
        )


def _print_gaps(directory: Path, gaps: Sequence["Gap"]) -> None:
    if not gaps:
        return print("the log can be read from its first frame to its last: nothing was lost")
    for gap in gaps:
        around = [f"{word} {_format_time(at)}" for word, at in (("after", gap.after), ("before", gap.before)) if at]
        when = f", written {' and '.join(around)}" if around else ""
        frames = f"frame {gap.first:,}" if gap.first == gap.last else f"frames {gap.first:,} to {gap.last:,}"
        print(f"lost: {frames}{when}")
    print(
        f"{quote_command('resume', directory)} fetches the pages of that time again and finds their links again. "
        "Repeat what you gave the crawl at that time: seeds, and orders to blacklist, pause or recrawl. "
        "Damaged files are kept in log/ as *.damaged"
    )
    return None


def _format_time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def _show_progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        print(
            f"\r{done:,} of {of:,} frames",
            end="" if done < of else "\n",
            file=get_trusted_stream(of_errors=True),
            flush=True,
        )
