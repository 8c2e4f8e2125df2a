"""`hondius crawl` and `hondius resume`."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import typer

from hondius.crawler.directory import existing, open_settings, settled
from hondius.crawler.translation import check
from hondius.errors import BadSeed
from hondius.operate.cli import options
from hondius.operate.cli.display.summary import internal_in_words, print_json, print_summary
from hondius.operate.cli.logs import Logging, logging_of
from hondius.operate.cli.plain import say
from hondius.operate.cli.signals import INTERRUPTED
from hondius.operate.cli.warnings import warn_of_few_descriptors
from hondius.operate.cli.wishes import Wishes, with_settings


def register(app: typer.Typer) -> None:
    app.command("crawl")(with_settings(crawl, is_new=True))
    app.command("resume")(with_settings(resume, is_new=False))


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
    return _start(first, wishes, seeds or (), seeds_file, json, log, may_add=False)


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
    return _start(directory, wishes, seeds or (), seeds_file, json, log, may_add=True)


def _start(
    directory: Path,
    wishes: Wishes,
    arguments: Sequence[str],
    seeds_file: Path | None,
    as_json: bool,
    log: Logging,
    *,
    may_add: bool,
) -> int:
    """The settings and the first seeds are read and checked here; only then is anything written. `may_add`: a crawl
    that exists takes new seeds."""
    from hondius.operate.cli.seeding import look_at, open_source
    from hondius.operate.cli.session import Session

    began = time.monotonic()
    is_new = not existing(directory)
    settings = settled(directory, wishes)
    warn_of_few_descriptors(settings)
    check(settings)
    source = open_source(arguments, seeds_file, settings)
    if source is not None:
        look_at(source, settings, is_new=is_new)
    before = None if is_new or may_add else open_settings(directory)
    session = Session(directory, settings, source, as_json, log, began=began, before=before)
    summary = asyncio.run(session.run())
    if as_json:
        print_json(summary)
    else:
        print_summary(summary)
    if summary.internal_failures:
        say(internal_in_words(summary.internal_failures, directory))
    if summary.stop_reason == "interrupted":
        return INTERRUPTED
    return 1 if summary.failed_seeds or summary.internal_failures else 0


def _default_directory(seeds: Sequence[str] | None, file: Path | None) -> Path:
    name = seeds[0] if seeds and seeds[0] != "-" else (file.stem if file is not None else "crawl")
    host = name.partition("://")[2] or name
    return Path("crawls") / "".join(c if c.isalnum() or c in ".-" else "_" for c in host.partition("/")[0])
