"""The common part of `crawl` and `resume`: checks settings and seeds, then runs the session."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from hondius.operate.cli.display.summary import describe_internal_failures, print_json, print_summary
from hondius.operate.cli.messages import say
from hondius.operate.cli.signals import INTERRUPTED
from hondius.session.crawl_log import LogOptions
from hondius.settings.overrides import Overrides


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
    from hondius.operate.cli.session import run_session
    from hondius.session.preparation import prepare_session

    prepared = prepare_session(directory, overrides, arguments, seeds_file, say, may_add=may_add)
    summary = asyncio.run(run_session(prepared, log, as_json=as_json))
    if as_json:
        print_json(summary)
    else:
        print_summary(summary)
    if summary.internal_failures:
        say(describe_internal_failures(summary.internal_failures, directory))
    if summary.stop_reason == "interrupted":
        return INTERRUPTED
    return 1 if summary.failed_seeds or summary.internal_failures else 0
