"""F1: no host starves while it may be contacted; within a host the better class goes first."""

from collections.abc import Iterator
from itertools import pairwise

from hondius.crawler.frontier.frontier import AHEAD, compute_class
from tests.simulation.engine import Request
from tests.simulation.judges.evidence import Evidence, by_host

LEASE_MARGIN = 40.0
"""Seconds after the engine's own deadline at which a lost answer is abandoned."""
MARGIN = 20.0
ENOUGH_CHOICES = 20
DOUBT = 2 * AHEAD
"""Requests after a failure that are not judged: the host is asked for its own URLs first, whatever their class."""
WORSE_AT_MOST = 0.5
"""Share of requests with a worse class than possible. One in eight is of the lowest class by design; some were read
ahead before a better one was known."""


def check_fairness(evidence: Evidence) -> Iterator[str]:
    worse = choices = 0
    for name, requests in by_host(evidence.sent()).items():
        is_healthy = evidence.web.host(name).is_healthy and name not in evidence.wire.lost_look_ups
        if is_healthy and not evidence.orders.get(name) and not evidence.is_blacklisted(name):
            yield from _find_starved(evidence, requests)
        for is_worse in _judge_choices(evidence, requests):
            choices += 1
            worse += is_worse
    if choices >= ENOUGH_CHOICES and worse > WORSE_AT_MOST * choices:
        yield f"a worse class was preferred {worse} times of {choices}"


def _find_starved(evidence: Evidence, requests: list[Request]) -> Iterator[str]:
    """Checks the time from when a URL could be requested until it was."""
    pushed_back = False
    asked = {requests[0].url.key}
    for before, request in pairwise(requests):
        is_again, pushed_back = request.url.key in asked, pushed_back or before.answer.status in (429, 503)
        asked.add(request.url.key)
        if is_again or pushed_back or before.life != request.life or request.kind == "robots":
            continue
        found = evidence.discovered.get(request.url.key, ())
        known = max((at for at, _ in found if at <= request.start), default=None)
        if known is None or any(evidence.is_parked(url) for _, url in found):
            continue
        gap = max(
            evidence.delay, min(30.0, 10 * (before.end - before.start)), evidence.web.host(before.host).crawl_delay
        )
        waited = request.start - max(known, before.end + gap)
        if waited > _longest_wait(evidence, before, request):
            yield f"{request.host} starved for {waited:.0f} s before {request.url.href}"


def _longest_wait(evidence: Evidence, before: Request, request: Request) -> float:
    """Slow hosts may hold all slots for several rounds. A robots.txt that redirects to another host waits for a turn
    there, in line with those of all other origins that redirect to it, and the pages of that host go in between."""
    rounds = -(-len(evidence.web.hosts) // evidence.simulation.settings.fetch.concurrency)
    if before.kind == "robots" and before.answer.status == 302:
        rounds += len(
            {first.url.origin for first in evidence.sent() if first.kind == "robots" and _leads_as(first, before)}
        )
    full = sum(ends - starts for starts, ends in evidence.life(request).pauses)
    longest = evidence.simulation.settings.fetch.total_timeout + LEASE_MARGIN
    return longest * rounds + full + MARGIN


def _leads_as(request: Request, other: Request) -> bool:
    """Whether both redirect, and to the same place."""
    return request.answer.status == other.answer.status and request.answer.headers == other.answer.headers


def _judge_choices(evidence: Evidence, requests: list[Request]) -> Iterator[bool]:
    """For each first request while URLs of several classes were queued: whether a better class was passed over. URLs
    are read ahead for each origin, and the origins of a host share its turns."""
    first: dict[bytes, float] = {}
    for request in evidence.tried_on(requests[0].host):
        first.setdefault(request.url.key, request.start)
    for origin in {request.url.origin for request in requests}:
        pages = [request for request in requests if request.kind != "robots" and request.url.origin == origin]
        yield from _judge_choices_of_origin(evidence, pages, first)


def _judge_choices_of_origin(evidence: Evidence, pages: list[Request], first: dict[bytes, float]) -> Iterator[bool]:
    doubtful_until = 0
    for index, request in enumerate(pages):
        key = request.url.key
        is_doubtful = index < doubtful_until
        if request.answer.failure or request.answer.status >= 500:
            doubtful_until = index + DOUBT
        if is_doubtful or first[key] != request.start or index <= AHEAD:
            continue
        if pages[index - AHEAD - 1].life != request.life:
            continue
        decided = pages[index - AHEAD - 1].start
        waiting = {
            _find_class(evidence, other, decided)
            for other, found in evidence.discovered_on(request.url.origin)
            if found[0][0] < decided
            and first.get(other, 0.0) >= request.start
            and not evidence.ended(other, decided)
            and not evidence.is_parked(found[0][1])
        }
        if len(waiting) > 1:
            yield _find_class(evidence, key, request.start) > min(waiting)


def _find_class(evidence: Evidence, key: bytes, at: float) -> int:
    """The class of a queued URL at that time. With a shorter path it gets the priority of that path; an equal or longer
    path of the log only says that the URL's own host names it."""
    found = evidence.discovered[key][0][1]
    for known, closer in evidence.found_closer.get(key, ()):
        if known <= at and closer.depth < found.depth:
            found = closer
    return compute_class(found.priority)
