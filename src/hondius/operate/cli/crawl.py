"""`hondius crawl`."""

from collections.abc import Sequence
from pathlib import Path

import typer

from hondius.errors import BadSeed
from hondius.operate.cli import options
from hondius.operate.cli.launch import launch_crawl
from hondius.operate.cli.logs import parse_log_options
from hondius.operate.cli.setting_options import Overrides, add_setting_options


def register(app: typer.Typer) -> None:
    app.command("crawl")(add_setting_options(crawl, is_new=True))


def crawl(
    seeds: options.Seeds = None,
    seeds_file: options.SeedsFile = None,
    into: options.Into = None,
    *,
    overrides: Overrides,
    log_level: options.LogLevel = None,
    log_json: options.LogJson = False,
    json: options.Json = False,
) -> int:
    """Crawl from seeds into a directory. The same command again continues where it stopped."""
    if not seeds and seeds_file is None:
        raise BadSeed("nothing to crawl: name a URL, or a file of them with --seeds")
    first = _choose_directory(seeds, seeds_file) if into is None else into
    log = parse_log_options(log_level, log_json)
    return launch_crawl(first, overrides, seeds or (), seeds_file, json, log, may_add=False)


def _choose_directory(seeds: Sequence[str] | None, file: Path | None) -> Path:
    name = seeds[0] if seeds and seeds[0] != "-" else (file.stem if file is not None else "crawl")
    host = name.partition("://")[2] or name
    return Path("crawls") / "".join(c if c.isalnum() or c in ".-" else "_" for c in host.partition("/")[0])
