"""What `crawl` and `resume` have in common: settings and seeds are checked, then the session runs."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from hondius.crawler.translation import check
from hondius.opening import crawl_exists, open_settings, resolve_settings
from hondius.operate.cli.display.summary import internal_in_words, print_json, print_summary
from hondius.operate.cli.logs import Logging
from hondius.operate.cli.plain import say
from hondius.operate.cli.signals import INTERRUPTED
from hondius.operate.cli.warnings import warn_of_few_descriptors
from hondius.operate.cli.wishes import Wishes


def start(
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
    is_new = not crawl_exists(directory)
    settings = resolve_settings(directory, wishes)
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
