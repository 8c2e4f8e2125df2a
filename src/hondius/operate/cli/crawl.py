"""`hondius crawl`."""

from collections.abc import Sequence
from pathlib import Path

import typer

from hondius.errors import BadSeed
from hondius.operate.cli import options
from hondius.operate.cli.logs import logging_of
from hondius.operate.cli.starting import start
from hondius.operate.cli.wishes import Wishes, with_settings


def register(app: typer.Typer) -> None:
    app.command("crawl")(with_settings(crawl, is_new=True))


def crawl(
    seeds: options.Seeds = None,
    seeds_file: options.SeedsFile = None,
    into: options.Into = None,
    *,
    wishes: Wishes,
    log_level: options.LogLevel = None,
    log_json: options.LogJson = False,
    json: options.Json = False,
) -> int:
    """Crawl from seeds into a directory. The same command again goes on where it stopped."""
    if not seeds and seeds_file is None:
        raise BadSeed("nothing to crawl: name a URL, or a file of them with --seeds")
    first = _default_directory(seeds, seeds_file) if into is None else into
    log = logging_of(log_level, log_json)
    return start(first, wishes, seeds or (), seeds_file, json, log, may_add=False)


def _default_directory(seeds: Sequence[str] | None, file: Path | None) -> Path:
    name = seeds[0] if seeds and seeds[0] != "-" else (file.stem if file is not None else "crawl")
    host = name.partition("://")[2] or name
    return Path("crawls") / "".join(c if c.isalnum() or c in ".-" else "_" for c in host.partition("/")[0])
