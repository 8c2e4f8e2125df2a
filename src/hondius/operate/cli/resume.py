"""`hondius resume`."""

import typer

from hondius.opening import open_settings
from hondius.operate.cli import options
from hondius.operate.cli.launch import launch_crawl
from hondius.operate.cli.setting_options import add_setting_options
from hondius.session.crawl_log import parse_log_options
from hondius.settings.overrides import Overrides


def register(app: typer.Typer) -> None:
    app.command("resume")(add_setting_options(resume, is_new=False))


def resume(
    directory: options.Directory,
    seeds: options.Seeds = None,
    seeds_file: options.SeedsFile = None,
    *,
    overrides: Overrides,
    log_level: options.LogLevel = None,
    log_json: options.LogJson = False,
    json: options.Json = False,
) -> int:
    """Continue a crawl with its own settings; options change them, and seeds are added."""
    open_settings(directory)
    log = parse_log_options(log_level, log_json)
    return launch_crawl(directory, overrides, seeds or (), seeds_file, json, log, may_add=True)
