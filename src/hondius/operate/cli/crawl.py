"""`hondius crawl`."""

import typer

from hondius.errors import BadSeed
from hondius.operate.cli import options
from hondius.operate.cli.launch import launch_crawl
from hondius.operate.cli.setting_options import add_setting_options
from hondius.session.crawl_log import parse_log_options
from hondius.settings.overrides import Overrides


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
    from hondius.session.preparation import choose_directory

    if not seeds and seeds_file is None:
        raise BadSeed("nothing to crawl: name a URL, or a file of them with --seeds")
    first = choose_directory(seeds or (), seeds_file) if into is None else into
    log = parse_log_options(log_level, log_json)
    return launch_crawl(first, overrides, seeds or (), seeds_file, json, log, may_add=False)
