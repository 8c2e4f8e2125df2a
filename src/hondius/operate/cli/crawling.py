"""`hondius crawl` and `hondius resume`."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from hondius.crawler.directory import existing, open_settings, settled
from hondius.crawler.seeds import Seed, seeds_from_arguments, seeds_from_lines
from hondius.crawler.translation import check, ensure_descriptors, make_identity
from hondius.errors import BadSeed
from hondius.operate.cli import options
from hondius.operate.cli.settings_option import Set, chosen
from hondius.operate.cli.signals import INTERRUPTED
from hondius.operate.cli.summary import print_json, print_summary
from hondius.operate.cli.warnings import check_seeds, warn_without_contact
from hondius.settings import Settings


def register(app: typer.Typer) -> None:
    app.command("crawl")(crawl)
    app.command("resume")(resume)


def crawl(
    seeds: options.Seeds = None,
    seeds_file: options.SeedsFile = None,
    into: options.Into = None,
    max_pages: options.MaxPages = None,
    max_pages_per_host: options.MaxPagesPerHost = None,
    max_depth: options.MaxDepth = None,
    max_bytes: options.MaxBytes = None,
    max_time: options.MaxTime = None,
    concurrency: options.Concurrency = None,
    scope: options.Scope = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    delay: options.Delay = None,
    contact: options.Contact = None,
    user_agent: options.UserAgent = None,
    header: options.Header = None,
    proxy: options.Proxy = None,
    resolve: options.Resolve = None,
    ca_file: options.CaFile = None,
    allow_private: options.AllowPrivate = None,
    settings: Set = None,
    json: options.Json = False,
) -> int:
    """Crawl from seeds into a directory. The same command again goes on where it stopped."""
    wishes = options.wishes(
        max_pages=max_pages,
        max_pages_per_host=max_pages_per_host,
        max_depth=max_depth,
        max_bytes=max_bytes,
        max_time=max_time,
        concurrency=concurrency,
        scope=scope,
        include=include,
        exclude=exclude,
        delay=delay,
        contact=contact,
        user_agent=user_agent,
        header=header,
        proxy=proxy,
        resolve=resolve,
        ca_file=ca_file,
        allow_private=allow_private,
        chosen=chosen(settings or ()),
    )
    if not seeds and seeds_file is None:
        raise BadSeed("nothing to crawl: name a URL, or a file of them with --seeds")
    first = _default_directory(seeds, seeds_file) if into is None else into
    return _start(first, wishes, seeds or (), seeds_file, json)


def resume(
    directory: options.Directory,
    seeds: options.Seeds = None,
    seeds_file: options.SeedsFile = None,
    max_pages: options.MaxPages = None,
    max_pages_per_host: options.MaxPagesPerHost = None,
    max_depth: options.MaxDepth = None,
    max_bytes: options.MaxBytes = None,
    max_time: options.MaxTime = None,
    concurrency: options.Concurrency = None,
    scope: options.NewScope = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    delay: options.Delay = None,
    contact: options.Contact = None,
    user_agent: options.UserAgent = None,
    header: options.Header = None,
    proxy: options.Proxy = None,
    resolve: options.Resolve = None,
    ca_file: options.CaFile = None,
    allow_private: options.AllowPrivate = None,
    settings: Set = None,
    json: options.Json = False,
) -> int:
    """Go on with a crawl: with its own settings, raised limits, and new seeds if any are given."""
    wishes = options.wishes(
        max_pages=max_pages,
        max_pages_per_host=max_pages_per_host,
        max_depth=max_depth,
        max_bytes=max_bytes,
        max_time=max_time,
        concurrency=concurrency,
        scope=scope,
        include=include,
        exclude=exclude,
        delay=delay,
        contact=contact,
        user_agent=user_agent,
        header=header,
        proxy=proxy,
        resolve=resolve,
        ca_file=ca_file,
        allow_private=allow_private,
        chosen=chosen(settings or ()),
    )
    open_settings(directory)
    return _start(directory, wishes, seeds or (), seeds_file, json)


def _start(
    directory: Path, wishes: dict[str, Any], arguments: Sequence[str], seeds_file: Path | None, as_json: bool
) -> int:
    """Everything is read and checked here; only then is anything written."""
    from hondius.operate.cli.session import Session

    settings = settled(directory, wishes)
    seeds = list(_seeds(arguments, seeds_file, settings))
    if not seeds and not existing(directory):
        raise BadSeed("there is no seed in what was given: name a URL, or a file that has one a line")
    ensure_descriptors(settings.fetch.concurrency)
    check(settings)
    check_seeds(settings, seeds)
    warn_without_contact(settings, seeds)
    summary = asyncio.run(Session(directory, settings, seeds, as_json).run())
    if as_json:
        print_json(summary)
    else:
        print_summary(summary)
    if summary.stop_reason == "interrupted":
        return INTERRUPTED
    return 1 if summary.failed_seeds else 0


def _seeds(arguments: Sequence[str], file: Path | None, settings: Settings) -> Iterator[Seed]:
    identity = make_identity(settings)
    yield from seeds_from_arguments([text for text in arguments if text != "-"], identity)
    if "-" in arguments:
        if sys.stdin is None:
            raise BadSeed("standard input is closed: name a file with --seeds")
        yield from seeds_from_lines(sys.stdin, "standard input", identity)
    if file is not None:
        try:
            with file.open(encoding="utf-8") as lines:
                yield from seeds_from_lines(lines, str(file), identity)
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise BadSeed(f"{file} cannot be read ({reason}): check the path given to --seeds") from None


def _default_directory(seeds: Sequence[str] | None, file: Path | None) -> Path:
    name = seeds[0] if seeds and seeds[0] != "-" else (file.stem if file is not None else "crawl")
    host = name.partition("://")[2] or name
    return Path("crawls") / "".join(c if c.isalnum() or c in ".-" else "_" for c in host.partition("/")[0])
