"""`hondius resume`."""

import typer

from hondius.opening import open_settings
from hondius.operate.cli import options
from hondius.operate.cli.logs import logging_of
from hondius.operate.cli.starting import start
from hondius.operate.cli.wishes import Wishes, with_settings


def register(app: typer.Typer) -> None:
    app.command("resume")(with_settings(resume, is_new=False))


def resume(
    directory: options.Directory,
    seeds: options.Seeds = None,
    seeds_file: options.SeedsFile = None,
    *,
    wishes: Wishes,
    log_level: options.LogLevel = None,
    log_json: options.LogJson = False,
    json: options.Json = False,
) -> int:
    """Go on with a crawl: with its own settings, raised limits, and new seeds if any are given."""
    open_settings(directory)
    log = logging_of(log_level, log_json)
    return start(directory, wishes, seeds or (), seeds_file, json, log, may_add=True)
