"""`hondius export`."""

from pathlib import Path
from typing import Annotated

import typer

from hondius.errors import BadSetting
from hondius.model import State
from hondius.opening import open_crawl
from hondius.operate.cli.messages import say
from hondius.operate.cli.options import Directory
from hondius.quantities import format_count


def register(app: typer.Typer) -> None:
    app.command("export")(export)


def export(
    directory: Directory,
    form: Annotated[str, typer.Option("--format", help="jsonl: one JSON object a line.")] = "jsonl",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="File to write, gzipped if it ends in .gz. Default: standard output."),
    ] = None,
    state: Annotated[
        list[str] | None, typer.Option(help="Only URLs that ended in this state; may be repeated.")
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Add the text of each page.")] = False,
    body: Annotated[bool, typer.Option("--body", help="Add the body of each page.")] = False,
    noindex: Annotated[
        bool, typer.Option("--noindex", help="Include the content of pages that ask not to be indexed.")
    ] = False,
) -> None:
    """Write a row for every URL that has ended."""
    from hondius.use.export import export_jsonl
    from hondius.use.output import refuse_inside

    if form != "jsonl":
        raise BadSetting(f"unknown --format {form}; choose jsonl")
    unknown = sorted(set(state or ()) - {known.value for known in State})
    if unknown:
        raise BadSetting(f"unknown --state {unknown[0]}; choose from {', '.join(known.value for known in State)}")
    refuse_inside(directory, output)
    with open_crawl(directory) as crawl:
        rows = export_jsonl(crawl, output, states=state or (), text=text, body=body, noindex=noindex)
    if output is not None:
        say(f"wrote {format_count(rows, 'row')} to {output}")
