"""The common part of `crawl` and `resume`: checks settings and seeds, then runs the session."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from hondius.crawler.translation import check_settings
from hondius.opening import crawl_exists, open_settings, resolve_settings
from hondius.operate.cli.display.summary import describe_internal_failures, print_json, print_summary
from hondius.operate.cli.logs import LogOptions
from hondius.operate.cli.messages import say
from hondius.operate.cli.set_option import describe_changes
from hondius.operate.cli.setting_options import Overrides
from hondius.operate.cli.signals import INTERRUPTED
from hondius.operate.cli.warnings import warn_of_few_descriptors


def launch_crawl(
    directory: Path,
    overrides: Overrides,
    arguments: Sequence[str],
    seeds_file: Path | None,
    as_json: bool,
    log: LogOptions,
    *,
    may_add: bool,
) -> int:
    """Checks the settings and the first seeds before anything is written. `may_add`: an existing crawl accepts new
    seeds."""
    from hondius.operate.cli.seed_input import check_first_seeds, open_seed_source
    from hondius.operate.cli.session import Session

    began = time.monotonic()
    is_new = not crawl_exists(directory)
    settings = resolve_settings(directory, overrides)
    warn_of_few_descriptors(settings)
    check_settings(settings)
    source = open_seed_source(arguments, seeds_file, settings)
    if source is not None:
        check_first_seeds(source, settings, is_new=is_new)
    before = None if is_new else open_settings(directory)
    if before is not None and may_add and (changed := describe_changes(before, settings)):
        say(f"Settings changed by this command: {', '.join(changed)}")
    before = None if may_add else before
    session = Session(directory, settings, source, as_json, log, began=began, before=before)
    summary = asyncio.run(session.run())
    if as_json:
        print_json(summary)
    else:
        print_summary(summary)
    if summary.internal_failures:
        say(describe_internal_failures(summary.internal_failures, directory))
    if summary.stop_reason == "interrupted":
        return INTERRUPTED
    return 1 if summary.failed_seeds or summary.internal_failures else 0
