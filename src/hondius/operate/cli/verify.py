"""`hondius verify`."""

import sys

import typer

from hondius.opening import open_settings, place_of
from hondius.operate.cli.at_rest import at_rest
from hondius.operate.cli.options import Directory
from hondius.operate.cli.quantities import shown_bytes
from hondius.operate.cli.streams import ours


def register(app: typer.Typer) -> None:
    app.command("verify")(verify)


def verify(directory: Directory) -> int:
    """Check all against all: log, archive, catalog, URL store."""
    from hondius.operate.cli.display.shown import make_console
    from hondius.use.verify import verify_crawl

    settings = open_settings(directory)
    console = make_console()
    with at_rest(directory, shared=not place_of(directory).is_writable):
        report = verify_crawl(directory, settings, _reading)
    for line in report.lines():
        console.print(line, soft_wrap=True, markup=False)
    return 0 if report.clean else 1


def _reading(done: int, of: int) -> None:
    """Of a URL store so large that it takes a while."""
    if sys.stderr.isatty():
        end = "" if done < of else "\n"
        print(
            f"\rurls/: {shown_bytes(done)} of {shown_bytes(of)} read ", end=end, file=ours(of_errors=True), flush=True
        )
