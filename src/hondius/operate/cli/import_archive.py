"""`hondius import`: archives that others made become a crawl (S11)."""

import asyncio
import contextlib
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from hondius.errors import BadSetting
from hondius.hints import quote_command
from hondius.operate.cli.messages import say
from hondius.operate.cli.options import Json
from hondius.operate.cli.setting_options import add_setting_options
from hondius.operate.cli.signals import INTERRUPTED
from hondius.operate.cli.streams import get_trusted_stream
from hondius.quantities import format_bytes, format_count
from hondius.settings.overrides import Overrides

if TYPE_CHECKING:
    from hondius.use.importing import Tally

SHOWN_EVERY = 0.5
"""Seconds between two updates of the progress line."""
SHOWN_PROBLEMS = 20


def register(app: typer.Typer) -> None:
    app.command("import")(add_setting_options(import_files, is_new=True))


def import_files(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE...", help="WARC files, plain or gzipped.", show_default=False)
    ] = None,
    into: Annotated[
        Path | None, typer.Option("--into", help="Directory of the crawl: a new one, or one that exists.")
    ] = None,
    overrides: Overrides | None = None,
    json: Json = False,
) -> int:
    """Make a crawl of archives that others made: analysed, searchable, exportable, resumable. No request is sent.

    Links are queued as the options of scope say; `hondius resume DIR` fetches them. The same command again continues.
    """
    from hondius.crawler.store_opening import Watch
    from hondius.crawler.translation import check_settings
    from hondius.opening import resolve_settings
    from hondius.use.importing import Tally, import_archives
    from hondius.use.importing.records import check_files

    if not files:
        raise BadSetting("nothing to import: name WARC files, like `hondius import crawl.warc.gz --into DIR`")
    if into is None:
        raise BadSetting("into which crawl? Name its directory, like `hondius import crawl.warc.gz --into DIR`")
    check_files(files)
    settings = resolve_settings(into, overrides or {})
    check_settings(settings)
    tally, progress = Tally(), Progress()
    try:
        with contextlib.closing(progress):
            asyncio.run(import_archives(into, settings, files, tally, progress.show, Watch(notice=say)))
    except KeyboardInterrupt:
        say(f"interrupted after {format_count(tally.pages, 'page')}: the same command continues")
        return INTERRUPTED
    if json:
        print(msgspec.json.encode(_make_object(tally)).decode())
    else:
        for line in _format(tally, into):
            print(line)
    for problem in tally.problems[:SHOWN_PROBLEMS]:
        say(f"damaged: {problem}")
    if tally.damaged > SHOWN_PROBLEMS:
        say(f"and {format_count(tally.damaged - SHOWN_PROBLEMS, 'other damaged record')}; --json names more of them")
    return 0


def _format(tally: "Tally", into: Path) -> Iterator[str]:
    yield f"{into}: {format_count(tally.pages, 'page')} imported from {format_count(tally.records, 'record')}"
    if tally.other_answers:
        yield f"  {format_count(tally.other_answers, 'other answer')}: redirects, failures, sitemaps, files"
    if tally.robots:
        yield f"  {tally.robots:,} robots.txt"
    if tally.known:
        yield f"  {tally.known:,} skipped: the crawl has the same answer or a newer one"
    if tally.without_original:
        yield f"  {tally.without_original:,} revisits skipped: their original is not in the crawl"
    if tally.others:
        yield f"  {format_count(tally.others.total(), 'other record')}: {_list_counts(tally)}"
    if tally.damaged:
        yield f"  {tally.damaged:,} skipped: damaged"
    yield f"next: {quote_command('status', into)} shows it, {quote_command('resume', into)} fetches what is queued"


def _list_counts(tally: "Tally") -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(tally.others.items()))


def _make_object(tally: "Tally") -> dict[str, object]:
    return {
        "records": tally.records,
        "pages": tally.pages,
        "other_answers": tally.other_answers,
        "robots": tally.robots,
        "known": tally.known,
        "without_original": tally.without_original,
        "others": dict(tally.others),
        "damaged": tally.damaged,
        "problems": tally.problems,
    }


class Progress:
    """On a terminal, a line that shows how far the files are read."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._due = self._began + SHOWN_EVERY if sys.stderr.isatty() else math.inf
        self._is_shown = False

    def show(self, tally: "Tally") -> None:
        at = time.monotonic()
        if at < self._due:
            return
        self._due, self._is_shown = at + SHOWN_EVERY, True
        part = 100 * tally.done_bytes / max(1, tally.all_bytes)
        self._print(
            f"\r{part:.0f} % of {format_bytes(tally.all_bytes)}: {tally.pages:,} pages, "
            f"{tally.pages / (at - self._began):,.0f} a second "
        )

    def close(self) -> None:
        """What follows begins on a line of its own."""
        if self._is_shown:
            self._print("\n")

    def _print(self, text: str) -> None:
        print(text, end="", file=get_trusted_stream(of_errors=True), flush=True)
