"""`hondius testweb`: serves the synthetic web, or replays an archive."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from hondius.errors import WrongUse

PATH_ERRORS = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EACCES, errno.EPERM, errno.EROFS}
)
PLAN_OPTIONS = (
    "hosts",
    "pages_per_host",
    "seed",
    "manifest",
    "slowest",
    "unreachable_robots_hosts",
    "products",
    "topic_pages",
)
"""Options of the synthetic web, which have no meaning for a replayed archive."""


def register(app: typer.Typer) -> None:
    app.command("testweb")(serve)


def serve(
    context: typer.Context,
    more: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]...", help="More files for --replay.", show_default=False)
    ] = None,
    hosts: Annotated[int, typer.Option(help="How many hosts.")] = 10,
    pages_per_host: Annotated[int, typer.Option(help="Ordinary pages on each host.")] = 30,
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.")] = 1,
    port: Annotated[
        int, typer.Option(help="HTTP port on every host's address; HTTPS takes the next. 0: free ones.")
    ] = 0,
    manifest: Annotated[Path | None, typer.Option(help="Where to write the expected result of a crawl (JSON).")] = None,
    access_log: Annotated[Path | None, typer.Option(help="Where to log requests (JSON lines).")] = None,
    directory: Annotated[
        Path | None, typer.Option(help="Where to write the resolve file and the certificates.")
    ] = None,
    slowest: Annotated[float, typer.Option(help="Seconds that the slowest answers take.")] = 1.5,
    unreachable_robots_hosts: Annotated[int, typer.Option(help="Hosts whose robots.txt always returns 503.")] = 0,
    products: Annotated[
        int, typer.Option(help="Products of a shop at shop.test, with prices in HTML and JSON-LD. 0: no shop.")
    ] = 0,
    topic_pages: Annotated[
        int, typer.Option(help="Pages with labelled topics at topics1.test and four more hosts. 0: none.")
    ] = 0,
    replay: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE.warc[.gz]", help="Serve these archives instead; one port for HTTP and HTTPS."),
    ] = None,
) -> None:
    """Serve a synthetic web on loopback until interrupted; prints one line of JSON when it is ready."""
    if replay:
        _refuse_plan_options(context)
        return _replay((*replay, *(more or ())), port, access_log, directory)
    if more:
        raise WrongUse(f"{more[0]} is not understood: to serve an archive, name it with --replay")
    from hondius.testweb.command import TestWebOptions, run

    options = TestWebOptions(
        hosts=hosts,
        pages_per_host=pages_per_host,
        seed=seed,
        port=port,
        manifest=manifest,
        access_log=access_log,
        directory=directory,
        slowest=slowest,
        unreachable_robots_hosts=unreachable_robots_hosts,
        products=products,
        topic_pages=topic_pages,
    )
    with _refuse_unwritable():
        return run(options, _announce)


def _replay(files: tuple[Path, ...], port: int, access_log: Path | None, directory: Path | None) -> None:
    from hondius.testweb.replay.command import ReplayOptions, run

    with _refuse_unwritable():
        run(ReplayOptions(files, port, access_log, directory), _announce)


@contextmanager
def _refuse_unwritable() -> Iterator[None]:
    """Reports a path that cannot be written as wrong use, as other commands do."""
    try:
        yield
    except OSError as error:
        if error.errno not in PATH_ERRORS or error.filename is None:
            raise
        raise WrongUse(f"{error.filename} cannot be written ({error.strerror}): choose another place") from error


def _refuse_plan_options(context: typer.Context) -> None:
    for name in PLAN_OPTIONS:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise WrongUse(
                f"--{name.replace('_', '-')} is for the synthetic web, and --replay serves an archive: leave one out"
            )


def _announce(line: str) -> None:
    print(line, flush=True)
