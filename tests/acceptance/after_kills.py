"""What a killed crawl may and may not have done (F5), from the server's own record."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from hondius.testweb.access_log import Access
from hondius.testweb.manifest import Manifest
from tests.acceptance.kills import Kill

LOST = 1.0
"""Seconds before a kill within which an answer may not have reached the log of the crawl."""
LATE = 0.3
"""A busy server may read so much later what was sent before a kill; no new process is that quick to send a request."""
UNREAD = 0.05
"""An answer that the server ended so shortly before a kill may not have been read by then."""
DELAY = 1.0
TOLERANCE = 0.010
"""The server sees a request later than it is sent, and ends an answer before it is read."""


def asked_again(manifest: Manifest, requests: Iterable[Access], kills: Sequence[Kill]) -> tuple[int, list[str]]:
    """How many requests the kills cost, and those that they do not explain."""
    most: dict[str, int | None] = {row.resource: row.max_requests for row in manifest.resources}
    most |= {row.resource: row.max_requests for row in manifest.robots}
    counts: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for access in requests:
        counts[access.resource] += 1
        lost[access.resource] += _may_be_lost(access, kills)
    again, unexplained = 0, []
    for resource, count in counts.items():
        allowed = most.get(resource)
        if allowed is None or count <= allowed:
            continue
        again += count - allowed
        if count > allowed + lost[resource]:
            unexplained.append(f"{resource}: {count} requests, not {allowed} and {lost[resource]} lost to kills")
    return again, unexplained


def too_early(requests: Iterable[Access], kills: Sequence[Kill]) -> tuple[float, list[str]]:
    """The shortest pause on any host, and the requests that came before their host's delay."""
    hosts: defaultdict[str, list[Access]] = defaultdict(list)
    for access in requests:
        hosts[access.host].append(access)
    shortest, early = float("inf"), []
    for host, accesses in hosts.items():
        accesses.sort(key=lambda access: access.started)
        for before, after in pairwise(accesses):
            pause = after.started - _end(before, kills)
            shortest = min(shortest, pause)
            if pause < DELAY - TOLERANCE:
                early.append(f"{host}: {pause:.3f} s between {before.url} and {after.url}")
    return shortest, early


def _may_be_lost(access: Access, kills: Sequence[Kill]) -> bool:
    return any(access.started <= kill.after + LATE and access.time >= kill.before - LOST for kill in kills)


def _end(access: Access, kills: Sequence[Kill]) -> float:
    """A request that was cut off by a kill counts from its start."""
    cut_off = any(access.started <= kill.after + LATE and access.time >= kill.before - UNREAD for kill in kills)
    return access.started if cut_off else access.time
