"""Checks settings and seeds before anything is written."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hondius.crawler.seeds import SeedSource
from hondius.crawler.translation import check_settings
from hondius.opening import crawl_exists, open_settings, resolve_settings
from hondius.session.seed_input import check_first_seeds, open_seed_source
from hondius.session.warnings import Say, warn_of_few_descriptors
from hondius.settings import Settings
from hondius.settings.overrides import Overrides, describe_changes


@dataclass(frozen=True, slots=True)
class Prepared:
    directory: Path
    settings: Settings
    seeds: SeedSource | None
    before: Settings | None
    """The settings of an existing crawl that accepts no new seeds, else None."""
    began: float
    """The start of the command, by the monotonic clock."""


def prepare_session(
    directory: Path,
    overrides: Overrides,
    arguments: Sequence[str],
    seeds_file: Path | None,
    say: Say,
    *,
    may_add: bool,
) -> Prepared:
    """Raises WrongUse if something cannot be right. `may_add`: an existing crawl accepts new seeds."""
    began = time.monotonic()
    is_new = not crawl_exists(directory)
    settings = resolve_settings(directory, overrides)
    warn_of_few_descriptors(settings, say)
    check_settings(settings)
    source = open_seed_source(arguments, seeds_file, settings)
    if source is not None:
        check_first_seeds(source, settings, say, is_new=is_new)
    before = None if is_new else open_settings(directory)
    if before is not None and may_add and (changed := describe_changes(before, settings)):
        say(f"settings changed by this command: {', '.join(changed)}")
    return Prepared(directory, settings, source, None if may_add else before, began)


def choose_directory(seeds: Sequence[str], file: Path | None) -> Path:
    """`crawls/HOST`, for the host of the first seed."""
    name = seeds[0] if seeds and seeds[0] != "-" else (file.stem if file is not None else "crawl")
    host = name.partition("://")[2] or name
    return Path("crawls") / "".join(c if c.isalnum() or c in ".-" else "_" for c in host.partition("/")[0])
