"""`hondius export`."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from hondius.errors import BadSetting, WrongUse
from hondius.model import State
from hondius.native import now
from hondius.opening import open_crawl
from hondius.operate.cli.messages import say
from hondius.operate.cli.signals import INTERRUPTED
from hondius.operate.cli.streams import get_trusted_stream
from hondius.quantities import format_count, parse_moment

SHOWN_EVERY = 0.5
"""Seconds between two updates of the progress line."""
PARTITIONS = ("host", "day")


def register(app: typer.Typer) -> None:
    app.command("export")(export)


def export(
    directory: Annotated[Path | None, typer.Argument(help="Directory of the crawl.", show_default=False)] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="jsonl, csv, parquet, markdown, warc or wacz. Default: by the name of the output, otherwise jsonl.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            help="A file (gzipped if it ends in .gz), a new directory for many files, or s3://BUCKET/NAME. "
            "Default: standard output.",
        ),
    ] = None,
    columns: Annotated[
        str | None, typer.Option(help="Names of columns, separated by commas; `help` lists them.")
    ] = None,
    host: Annotated[
        list[str] | None,
        typer.Option(help="Only this host; *.example.com is every host below example.com. May be repeated."),
    ] = None,
    match: Annotated[str, typer.Option(help="Only URLs in which this regular expression matches.")] = "",
    since: Annotated[
        str | None, typer.Option(help="Only pages fetched since then: 2026-11-15, 2026-11-15T08:30 or -2h.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Only pages fetched before then.")] = None,
    status: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this HTTP status: 200, which includes content that a 304 confirmed, or 4xx for all of them. "
            "May be repeated."
        ),
    ] = None,
    language: Annotated[
        list[str] | None, typer.Option(help="Only this language: en also means en-GB. May be repeated.")
    ] = None,
    state: Annotated[
        list[str] | None,
        typer.Option(help=f"Only URLs that ended so: {', '.join(known.value for known in State)}. May be repeated."),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this kind: page, sitemap or requisite. May be repeated. Default: page and sitemap, in warc and "
            "wacz all.",
            show_default=False,
        ),
    ] = None,
    copies: Annotated[
        bool | None,
        typer.Option(
            "--copies/--no-copies",
            help="With or without exact copies of other pages. Default: with, except in markdown.",
            show_default=False,
        ),
    ] = None,
    noindex: Annotated[
        bool, typer.Option("--noindex", help="Include the content of pages that ask not to be indexed.")
    ] = False,
    purpose: Annotated[
        str,
        typer.Option(
            "--for",
            help="search, ai-input or ai-train: leave out pages that their owners reserve for that use.",
            show_default=False,
        ),
    ] = "",
    partition_by: Annotated[
        str | None, typer.Option(help="host or day: write a directory of Parquet files, one for each.")
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Add the text of each page: the column text.")] = False,
    body: Annotated[bool, typer.Option("--body", help="Add the body of each page: the column body.")] = False,
) -> None:
    """Write the pages of a crawl: as rows, as Markdown, or as a web archive."""
    from hondius.use.export import (
        Request,
        Tally,
        choose_format,
        describe_columns,
        export_pages,
        refuse_file_name,
    )
    from hondius.use.export.targets import is_remote
    from hondius.use.known_hosts import describe_unknown_hosts, list_unknown_hosts
    from hondius.use.output import refuse_inside
    from hondius.use.selection import select_pages

    if columns == "help":
        return print(describe_columns())
    if directory is None:
        raise BadSetting("which crawl? Name its directory: `hondius export DIR`")
    if partition_by not in (None, *PARTITIONS):
        raise BadSetting(f"unknown --partition-by {partition_by}; choose host or day")
    if partition_by is not None:
        refuse_file_name(output)
    chosen = choose_format(form, output, is_partitioned=partition_by is not None)
    selected = select_pages(
        hosts=host or (),
        match=match,
        since=None if since is None else parse_moment(since, "--since", now()),
        until=None if until is None else parse_moment(until, "--until", now()),
        statuses=status or (),
        languages=language or (),
        states=state or (),
        kinds=kind or (),
        copies=copies is not False,
        purpose=purpose,
    )
    request = Request(
        format=chosen,
        output=output,
        selected=selected,
        columns=_split_names(columns),
        added=[name for name, is_wanted in (("text", text), ("body", body)) if is_wanted],
        noindex=noindex,
        copies=copies,
        partition_by=partition_by,  # type: ignore[arg-type]
    )
    is_printed = output in (None, "-")
    if is_printed and chosen.is_binary and sys.stdout.isatty():
        raise WrongUse(f"{chosen.name} is not for a terminal: name a file with -o")
    if output is not None and not is_printed and not is_remote(output):
        refuse_inside(directory, Path(output))
    tally = Tally(make_progress())
    try:
        with open_crawl(directory) as crawl:
            export_pages(crawl, request, tally=tally)
            if unknown := list_unknown_hosts(crawl, selected.hosts):
                say(describe_unknown_hosts(crawl, unknown))
    except KeyboardInterrupt:
        say("interrupted" if is_printed else f"interrupted: nothing was written to {output}")
        raise typer.Exit(INTERRUPTED) from None
    if not is_printed:
        say(f"wrote {tally.describe(chosen.unit)} to {output}")
    if tally.empty:
        say(f"left out {format_count(tally.empty, 'page')} without a text")
    if purpose:
        say(str(tally.left_out))
    return None


def _split_names(columns: str | None) -> list[str]:
    if columns is None:
        return []
    names = [name.strip() for name in columns.split(",")]
    if not all(names):
        raise BadSetting(f"--columns {columns!r} has an empty name: write names with a comma between them")
    return names


def make_progress() -> Callable[[int], None]:
    """On a terminal, a line that shows rows and rate. Nothing before the first half second."""
    if not sys.stderr.isatty():
        return lambda rows: None
    began = shown = time.monotonic()

    def show(rows: int) -> None:
        nonlocal shown
        at = time.monotonic()
        if at - shown >= SHOWN_EVERY:
            shown = at
            line = f"\r{rows:,} rows, {rows / (at - began):,.0f} a second "
            print(line, end="", file=get_trusted_stream(of_errors=True), flush=True)

    return show
