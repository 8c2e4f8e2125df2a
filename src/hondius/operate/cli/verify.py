"""`hondius verify`."""

import sys

import typer

from hondius.opening import open_settings, place_of
from hondius.operate.cli.idle_lock import lock_idle_crawl
from hondius.operate.cli.options import Directory
from hondius.operate.cli.streams import get_trusted_stream
from hondius.quantities import format_bytes


def register(app: typer.Typer) -> None:
    app.command("verify")(verify)


def verify(directory: Directory) -> int:
    """Check that log, archive, links, catalog and URL store are intact and agree with each other."""
    from hondius.operate.cli.display.console import make_console
    from hondius.use.verify import verify_crawl

    settings = open_settings(directory)
    console = make_console()
    with lock_idle_crawl(directory, shared=not place_of(directory).is_writable):
        report = verify_crawl(directory, settings, _show_progress)
    for line in report.format_lines():
        console.print(line, soft_wrap=True, markup=False)
    return 0 if report.clean else 1


def _show_progress(done: int, of: int) -> None:
    """Shown while a large URL store is read."""
    if sys.stderr.isatty():
        end = "" if done < of else "\n"
        print(
            f"\rurls/: {format_bytes(done)} of {format_bytes(of)} read ",
            end=end,
            file=get_trusted_stream(of_errors=True),
            flush=True,
        )
