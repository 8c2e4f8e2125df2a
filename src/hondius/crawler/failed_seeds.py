"""Queues failed seeds again when a command changes the settings of requests: with another header, proxy, address or
certificate authority they may succeed.

The frame that queues them is durable before the new settings are written. After a kill in between, the next start finds
the settings changed, and does not queue them twice.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TypeVar

import msgspec

from hondius.crawler.commit import Outcome
from hondius.crawler.page import Links
from hondius.model import RobotsCopy
from hondius.ports import PartitionView
from hondius.settings import Settings

AT_ONCE = 1_000
"""URLs per frame."""
MOST_ORIGINS = 100_000
"""Origins whose robots.txt may be requested again at once. Others wait as long as before."""

Item = TypeVar("Item")

_log = logging.getLogger("hondius.crawler.failed_seeds")


def may_succeed_now(before: Settings, now: Settings) -> bool:
    """Whether a seed that failed with the old settings may succeed with the new ones. Another source address is no
    reason to try again: the failure may have been a refusal (N3)."""
    same = {"concurrency": before.fetch.concurrency, "source_addresses": before.fetch.source_addresses}
    return (
        msgspec.structs.replace(now.fetch, **same) != before.fetch
        or now.scope.wanted_types() != before.scope.wanted_types()
    )


def queue_failed_seeds(view: PartitionView, links: Links, write: Callable[[Outcome], None], now: float) -> int:
    """Returns their number. `write` makes an outcome durable and lets the views apply it."""
    for copies in _split_into_batches(_list_unreachable(view, now)):
        write(Outcome(copies))
    opened = {href for hrefs in view.scope() for href in hrefs.splitlines()} if view.failed_seeds(1) else set()
    count = 0
    for pages in _split_into_batches(view.seeds_without_answer()):
        groups: dict[bool, list[tuple[str, bytes]]] = defaultdict(list)
        for url, key, via in pages:
            groups[via == "seed" or url in opened].append((url, key))
        for is_seed, urls in groups.items():
            found = links.admit_requeued(urls, depth=0, kind="page", is_seed=is_seed, now=now)
            with links.withdraw_on_failure([found]):
                if found.count:
                    write(Outcome(discoveries=[found]))
            count += found.count
    if count:
        _log.info("%d seeds that failed are tried again: the settings changed", count)
    return count


def _list_unreachable(view: PartitionView, now: float) -> Iterator[RobotsCopy]:
    """Copies of each robots.txt that could not be fetched, changed so that it may be requested at once."""
    for origin, _ in view.unreachable(MOST_ORIGINS):
        copy = view.robots(origin)
        if copy is not None and copy.expires_at > now:
            yield msgspec.structs.replace(copy, expires_at=now, requests=0)


def _split_into_batches(items: Iterator[Item]) -> Iterator[list[Item]]:
    while batch := list(islice(items, AT_ONCE)):
        yield batch
