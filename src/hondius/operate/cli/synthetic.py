"""`hondius testweb`: the synthetic web."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    app.command("testweb")(testweb)


def testweb(
    hosts: Annotated[int, typer.Option(help="How many hosts.")] = 10,
    pages_per_host: Annotated[int, typer.Option(help="Ordinary pages of each host.")] = 30,
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.")] = 1,
    port: Annotated[
        int, typer.Option(help="HTTP port on every host's address; HTTPS takes the next. 0: free ones.")
    ] = 0,
    manifest: Annotated[Path | None, typer.Option(help="Where to write what a right crawl must give (JSON).")] = None,
    access_log: Annotated[Path | None, typer.Option(help="Where to write what was requested (JSON lines).")] = None,
    directory: Annotated[Path | None, typer.Option(help="For the resolve file and the certificates.")] = None,
    slowest: Annotated[float, typer.Option(help="Seconds that the slowest answers take.")] = 1.5,
    unreachable_robots_hosts: Annotated[int, typer.Option(help="Hosts whose robots.txt answers 503, for ever.")] = 0,
) -> None:
    """Serve a synthetic web on loopback until interrupted; prints one line of JSON when it is ready."""
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
    )
    run(options, lambda line: print(line, flush=True))
