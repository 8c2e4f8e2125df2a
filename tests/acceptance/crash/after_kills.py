"""What a killed crawl may and may not have done (F5), from the server's own record."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from msgspec.structs import replace

from hondius.testweb.access_log import Access
from hondius.testweb.manifest import Manifest
from tests.acceptance.crash.kills import Kill, run_of

LOST = 1.0
"""Seconds before a kill within which an answer may not have reached the log of the crawl."""
UNREAD = 0.05
"""Seconds. An answer that ended so shortly before a kill may not have been read."""
DELAY = 1.0
NEVER = float("inf")
NOTHING: Mapping[str, int] = {}
Runs = Sequence[Kill | None]
"""How each run ended: see `KilledCrawl.runs`."""
TOLERANCE = 0.010
"""Seconds. The server sees a request after it is sent, and ends an answer before it is read."""


@dataclass
class AskedAgain:
    """The cost of the kills: requests in addition to those of the manifest."""

    count: int = 0
    oldest: float = 0.0
    """Seconds from the oldest lost answer to the kill that lost it, without stalls of the machine."""
    unexplained: list[str] = field(default_factory=list)


def asked_again(
    manifest: Manifest,
    requests: Iterable[Access],
    runs: Runs,
    *,
    ordered: Mapping[str, int] = NOTHING,
    reopened: Collection[int] = (),
) -> AskedAgain:
    """`ordered`: how often orders requested a recrawl of each resource; `reopened`: runs that reopened their stores,
    and forgot the next request of a URL that redirects to itself."""
    most: dict[str, int | None] = {row.resource: row.max_requests for row in manifest.resources}
    most |= {row.resource: row.max_requests for row in manifest.robots}
    completed = {row.resource for row in manifest.resources if row.state == "completed"}
    robots = {row.resource for row in manifest.robots}
    result, requests = AskedAgain(), list(requests)
    files = [access for access in requests if access.resource in robots]
    for resource, accesses in _group(requests, lambda access: access.resource).items():
        allowed = most.get(resource)
        if allowed is not None and (extra := len(accesses) - allowed - ordered.get(resource, 0)) > 0:
            if resource in robots:
                ends = [_end_of_errand(access, files) for access in accesses]
            else:
                ends = _ends_of_journeys(accesses) if resource in completed else accesses
            forgotten = sum(_is_forgotten(*pair, reopened) for pair in zip(accesses, ends, strict=True))
            if extra > forgotten:
                _weigh(resource, accesses, ends, extra - forgotten, runs, result)
    return result


def _ends_of_journeys(accesses: list[Access]) -> list[Access]:
    """Maps each request to the one that completes it: a URL that redirects to itself needs a second request."""
    ends = accesses[-1:]
    for access in reversed(accesses[:-1]):
        ends.append(ends[-1] if 300 <= access.status < 400 else access)
    return ends[::-1]


def _end_of_errand(access: Access, files: Sequence[Access]) -> Access:
    """A redirected robots.txt is complete only when its target has answered, a polite pause later."""
    if not 300 <= access.status < 400:
        return access
    later = [other for other in files if other.host == access.host and other.started > access.started]
    same_run = [other for other in later if run_of(other) == run_of(access)]
    return min(same_run, key=lambda other: other.started, default=replace(access, time=NEVER))


def _is_forgotten(access: Access, end: Access, reopened: Collection[int]) -> bool:
    """Journeys and host preparations that stopped between their two requests, in order."""
    is_cut = end.time == NEVER or run_of(access) != run_of(end)
    return access is not end and (is_cut or run_of(access) in reopened)


def _weigh(
    resource: str, accesses: list[Access], ends: list[Access], extra: int, runs: Runs, result: AskedAgain
) -> None:
    """The newest answers before kills were lost; there must be enough of them."""
    lost = (_age_when_lost(access, end, accesses[-1], runs) for access, end in zip(accesses, ends, strict=True))
    ages = sorted(age for age in lost if age is not None)
    result.count += extra
    result.oldest = max([result.oldest, *ages[:extra]])
    if len(ages) < extra or ages[extra - 1] > LOST:
        shown = ", ".join(f"{age:.2f}" for age in ages)
        result.unexplained.append(f"{resource}: {extra} too many, answered {shown or 'never'} s before a kill")


def too_early(requests: Iterable[Access], runs: Runs) -> tuple[float, list[str]]:
    """The shortest pause on any host, and the requests that came before their host's delay."""
    shortest, early = float("inf"), []
    for host, accesses in _group(requests, lambda access: access.host).items():
        for before, after in pairwise(accesses):
            pause = after.started - _end(before, runs)
            shortest = min(shortest, pause)
            if pause < DELAY - TOLERANCE:
                early.append(f"{host}: {pause:.3f} s between {before.url} and {after.url}")
    return shortest, early


def _group(requests: Iterable[Access], by: Callable[[Access], str]) -> dict[str, list[Access]]:
    groups: dict[str, list[Access]] = {}
    for access in sorted(requests, key=lambda access: access.started):
        groups.setdefault(by(access), []).append(access)
    return groups


def _age_when_lost(access: Access, end: Access, last: Access, runs: Runs) -> float | None:
    """Seconds from an answer to the kill that may have lost it; None if it cannot have been lost.

    Answers of the last run were not lost, nor were answers that no later run requested again.
    """
    kill = _kill_of(access, runs)
    if kill is None or run_of(last) == run_of(access):
        return None
    lost_at = kill.at if kill.full_since is None else min(kill.at, kill.full_since)
    return max(0.0, lost_at - end.time - kill.stall)


def _end(access: Access, runs: Runs) -> float:
    """A request that was cut off by a kill counts from its start."""
    kill = _kill_of(access, runs)
    cut_off = kill is not None and access.time >= kill.at - UNREAD
    return access.started if cut_off else access.time


def _kill_of(access: Access, runs: Runs) -> Kill | None:
    """The kill that ended the run of a request; None if the run ended by itself."""
    run = run_of(access)
    return runs[run] if run < len(runs) else None
