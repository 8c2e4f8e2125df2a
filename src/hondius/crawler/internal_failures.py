"""Queues URLs again that a bug of another version of Hondius ended: this version may have fixed it.

The log has all that is needed. The end of such a URL names the version with the bug (`model.format_internal_detail`),
until its next end replaces it. If the run is killed before that, the next run finds the URL queued, and does not queue
it twice.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from itertools import islice
from typing import Any

from hondius.crawler.commit import Commit, Outcome
from hondius.crawler.page import Links
from hondius.crawler.politeness import Ask
from hondius.model import INTERNAL, PageFilter, State, parse_internal_version
from hondius.ports import PartitionView

AT_ONCE = 1_000
"""URLs per frame."""

_log = logging.getLogger("hondius.crawler.internal_failures")


async def requeue_internal_failures(
    view: PartitionView, links: Links, commit: Commit, version: str, now: float, ask: Ask
) -> int:
    """Returns their number. `ask` reads the view on a thread that may wait."""
    totals = await ask(view.totals)
    if not any(totals[kind].get((State.FAILED, INTERNAL)) for kind in ("causes", "sitemaps", "requisites")):
        return 0
    count, failed = 0, _find_failed(view, version)
    while True:
        pages, seeds = await ask(lambda: _read_next_batch(failed, view))
        if not pages:
            break
        found = [
            links.admit_requeued(urls, depth=depth, kind=kind, is_seed=is_seed, now=now)
            for (depth, kind, is_seed), urls in _group_alike(pages, seeds).items()
        ]
        with links.withdraw_on_failure(found):
            commit.submit(Outcome(discoveries=found))
        count += sum(some.count for some in found)
    if count:
        _log.info("%d URLs that a bug of another version ended are tried again", count)
    return count


def _read_next_batch(failed: Iterator[dict[str, Any]], view: PartitionView) -> tuple[list[dict[str, Any]], set[str]]:
    """The next pages, and which of them are seeds. Blocks."""
    pages = list(islice(failed, AT_ONCE))
    return pages, _find_seeds(pages, view) if pages else set()


def _find_failed(view: PartitionView, version: str) -> Iterator[dict[str, Any]]:
    for page in view.pages(PageFilter(states=(State.FAILED,))):
        if page["cause"] == INTERNAL and parse_internal_version(page["detail"]) != version:
            yield page


def _find_seeds(pages: Sequence[dict[str, Any]], view: PartitionView) -> set[str]:
    """Seeds, and targets of their redirects. The scope lists the first seed of each directory, however it ended."""
    urls = {page["url"] for page in pages}
    opened = {href for hrefs in view.scope() for href in hrefs.splitlines() if href in urls}
    return opened | {page["url"] for page in pages if page["via"] == "seed"}


def _group_alike(
    pages: Sequence[dict[str, Any]], seeds: Set[str]
) -> dict[tuple[int, str, bool], list[tuple[str, bytes]]]:
    """Groups URLs that can be admitted in one call. A seed, or the target of its redirect, extends the scope as
    before."""
    groups: dict[tuple[int, str, bool], list[tuple[str, bytes]]] = defaultdict(list)
    for page in pages:
        groups[page["depth"], page["kind"], page["url"] in seeds].append((page["url"], page["key"]))
    return groups
