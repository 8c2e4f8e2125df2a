"""`hondius extract`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hondius.errors import BadSetting, WrongUse
from hondius.native import now
from hondius.opening import open_crawl
from hondius.operate.cli.export import make_progress
from hondius.operate.cli.messages import say
from hondius.operate.cli.options import Json
from hondius.operate.cli.set_option import Set
from hondius.operate.cli.signals import INTERRUPTED
from hondius.quantities import format_count, parse_moment

if TYPE_CHECKING:
    from hondius.use.extract import RuleSet, Totals

EXAMPLE = 'fields = { title = "h1", price = { css = ".price", type = "price" } }'


def register(app: typer.Typer) -> None:
    app.command("extract")(extract)


def extract(
    directory: Annotated[
        Path | None, typer.Argument(help="Directory of the crawl. Not needed for --try.", show_default=False)
    ] = None,
    rules: Annotated[Path | None, typer.Option(help="A TOML file that says which fields to extract.")] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", help="jsonl, csv or parquet. Default: by the name of the output, otherwise jsonl."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", help="A file (gzipped if it ends in .gz), or s3://BUCKET/NAME. Default: standard output."
        ),
    ] = None,
    since: Annotated[
        str | None, typer.Option(help="Only pages fetched since then: 2026-11-15, 2026-11-15T08:30 or -2h.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Only pages fetched before then.")] = None,
    copies: Annotated[bool, typer.Option("--copies", help="Also from exact copies of other pages.")] = False,
    noindex: Annotated[bool, typer.Option("--noindex", help="Also from pages that ask not to be indexed.")] = False,
    purpose: Annotated[
        str,
        typer.Option(
            "--for",
            help="search, ai-input or ai-train: leave out pages that their owners reserve for that use.",
            show_default=False,
        ),
    ] = "",
    page: Annotated[
        str | None,
        typer.Option(
            "--try",
            metavar="URL|FILE",
            help="Show what each rule finds on one page: a page of the crawl if DIR is given, otherwise a local file, "
            "or a URL, which is fetched politely and not kept.",
        ),
    ] = None,
    base: Annotated[str | None, typer.Option(help="With --try FILE: the URL of the page.")] = None,
    settings: Set = None,
    json: Json = False,
) -> int:
    """Extract fields from pages by rules in a file: CSS selectors, JSON-LD, regular expressions.

    A file of rules, for example:

    \b
    [fields]
    title = "h1"
    price = { css = ".price", type = "price" }
    """
    from hondius.use.export.targets import is_remote
    from hondius.use.extract import extract_rows, find_row_format, read_rules, refuse_damaged
    from hondius.use.output import refuse_inside
    from hondius.use.selection import select_pages

    if rules is None:
        raise BadSetting(
            f"which rules? Name a file with --rules; a file with the line {EXAMPLE} extracts titles and prices"
        )
    rule_set = read_rules(rules)
    if page is not None:
        from hondius.operate.cli.extract_trial import try_page

        return try_page(rule_set, page, directory, base, settings or (), as_json=json)
    _refuse_trial_options(base, settings, json)
    if directory is None:
        raise BadSetting("which crawl? Name its directory: `hondius extract DIR --rules FILE`")
    output = None if output == "-" else output
    chosen = find_row_format(form, output)
    selected = select_pages(
        since=None if since is None else parse_moment(since, "--since", now()),
        until=None if until is None else parse_moment(until, "--until", now()),
        copies=copies,
        noindex=noindex,
        purpose=purpose,
    )
    if output is None and chosen.is_binary and sys.stdout.isatty():
        raise WrongUse(f"{chosen.name} is not for a terminal: name a file with -o")
    if output is not None and not is_remote(output):
        refuse_inside(directory, Path(output))
    try:
        with open_crawl(directory) as crawl:
            totals = extract_rows(crawl, rule_set, selected, chosen, output, make_progress())
    except KeyboardInterrupt:
        say("interrupted" if output is None else f"interrupted: nothing was written to {output}")
        raise typer.Exit(INTERRUPTED) from None
    _report(totals, rule_set, output)
    refuse_damaged(totals, str(directory))
    return 0


def _refuse_trial_options(base: str | None, settings: list[str] | None, json: bool) -> None:
    for option, is_given in (("--base", base is not None), ("--set", bool(settings)), ("--json", json)):
        if is_given:
            raise WrongUse(f"{option} is for --try: leave it out")


def _report(totals: "Totals", rules: "RuleSet", output: str | None) -> None:
    to = "" if output is None else f" to {output}"
    say(f"wrote {format_count(totals.rows, 'row')} from {format_count(totals.pages, 'page')}{to}")
    if totals.empty:
        say(f"{format_count(totals.empty, 'page')} had no row")
    missing = [name for name, pages in totals.fields.items() if not pages]
    if totals.pages and missing:
        say(f"found on no page: {', '.join(missing)}; `hondius extract --try` shows what a rule of {rules.name} finds")
    if totals.costly:
        say(
            f"{format_count(totals.costly, 'page')} took too much work, {totals.first_costly} first: "
            "use narrower selectors"
        )
    if totals.left_out.purpose:
        say(str(totals.left_out))
