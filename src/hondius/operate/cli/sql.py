"""`hondius sql`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hondius.errors import BadSetting, WrongUse
from hondius.opening import open_crawl
from hondius.operate.cli.export import make_progress
from hondius.operate.cli.messages import say
from hondius.operate.cli.options import Directory
from hondius.operate.cli.signals import INTERRUPTED
from hondius.quantities import format_count, parse_bytes
from hondius.sanitise import escape_controls

if TYPE_CHECKING:
    from hondius.use.sql.running import QueryRows

SHOWN_ROWS = 1_000
NARROWEST = 8
"""Characters of a column. A table with narrower ones cannot be read: records are printed one below the other."""
LONGEST_CELL = 2_000
"""Characters of a value in a table for the terminal."""


def register(app: typer.Typer) -> None:
    app.command("sql")(sql)


def sql(
    directory: Directory,
    query: Annotated[
        str | None, typer.Argument(help="One SELECT. Without it, the tables and their columns are listed.")
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format", help="table, jsonl, csv or parquet. Default: by the name of the output, otherwise table."
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="A file (gzipped if it ends in .gz), or s3://BUCKET/NAME."),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(min=1, help=f"Rows at most. Default: {SHOWN_ROWS:,}, and with -o as many as there are."),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long the query may take.")] = 60.0,
    memory: Annotated[str, typer.Option(help="How much memory it may use; the rest goes to temporary files.")] = "1GB",
    noindex: Annotated[
        bool, typer.Option("--noindex", help="Include the content of pages that ask not to be indexed.")
    ] = False,
) -> None:
    """Answer a question about a crawl in SQL. Also works while it runs. Needs `pip install 'hondius[sql]'`."""
    from hondius.use.export.targets import is_remote, target_of
    from hondius.use.output import refuse_inside
    from hondius.use.sql.limits import Limits
    from hondius.use.sql.loading import Withheld
    from hondius.use.sql.running import run_query
    from hondius.use.sql.statement import check_statement
    from hondius.use.sql.tables import describe_tables
    from hondius.use.sql.writing import choose_format, write_rows

    if query is None:
        with open_crawl(directory):
            return print(describe_tables())
    output = None if output == "-" else output
    chosen = choose_format(form, output)
    if chosen == "table" and output is not None:
        raise BadSetting("a table is for the terminal: choose --format jsonl, csv or parquet for a file")
    if chosen == "parquet" and output is None and sys.stdout.isatty():
        raise WrongUse("parquet is not for a terminal: name a file with -o")
    if output is not None and not is_remote(output):
        refuse_inside(directory, Path(output))
    limits = Limits(
        seconds=seconds,
        rows=rows or (None if output is not None else SHOWN_ROWS),
        memory=parse_bytes(memory, "--memory"),
        result=None if output is not None else Limits.result,
    )
    statement = check_statement(query)
    try:
        with (
            open_crawl(directory) as crawl,
            run_query(crawl, statement, limits, Withheld(noindex), make_progress()) as found,
        ):
            if chosen == "table":
                count = _print_table(found)
            else:
                with target_of(output, is_directory=False) as target, target.open(target.main) as file:
                    count = write_rows(found, chosen, file, target.main)
    except KeyboardInterrupt:
        say("interrupted" if output is None else f"interrupted: nothing was written to {output}")
        raise typer.Exit(INTERRUPTED) from None
    if output is not None:
        say(f"wrote {format_count(count, 'row')} to {output}")
    if found.is_cut:
        say(f"there are more rows than {count:,}: raise --rows, or write them all to a file with -o")
    if found.unread.count:
        say(found.unread.describe("the query saw these pages without their content", str(directory)))
    return None


def _print_table(rows: "QueryRows") -> int:
    from rich.markup import escape
    from rich.table import Table

    from hondius.operate.cli.display.console import make_console
    from hondius.use.sql.running import list_rows

    console = make_console()
    names = [escape_controls(name) for name in rows.schema.names]
    shown = [[_format_cell(value) for value in row.values()] for batch in rows for row in list_rows(batch)]
    if _is_too_wide([names, *shown], console.width):
        for record in shown:
            lines = (f"{name}: {cell}" for name, cell in zip(names, record, strict=True))
            console.print("\n".join(lines), end="\n\n", markup=False, soft_wrap=True)
        return len(shown)
    table = Table(box=None, pad_edge=False)
    for name in names:
        table.add_column(escape(name), overflow="fold")
    for record in shown:
        table.add_row(*map(escape, record))
    console.print(table)
    return len(shown)


def _is_too_wide(lines: Sequence[Sequence[str]], width: int) -> bool:
    """Whether some columns of a table would be narrower than `NARROWEST`, and than what they have to show."""
    from rich.cells import cell_len

    needed = (min(NARROWEST, max(map(cell_len, column))) for column in zip(*lines, strict=True))
    return sum(needed) + len(lines[0]) - 1 > width


def _format_cell(value: object) -> str:
    """Escaped before the table is laid out: escapes are longer than what they stand for."""
    from hondius.use.sql.writing import make_plain

    text = "" if value is None else str(make_plain(value))
    return escape_controls(text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}…")
