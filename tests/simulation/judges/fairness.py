"""F1: no host starves while it may be contacted; within a host the better class goes first."""

from collections.abc import Iterator
from itertools import pairwise

from hondius.crawler.frontier.frontier import AHEAD, compute_class
from tests.simulation.engine import Request
from tests.simulation.judges.evidence import Evidence, by_host

LEASE_MARGIN = 40.0
"""An answer that never comes is given up so long after the engine's own deadline."""
MARGIN = 20.0
ENOUGH_CHOICES = 30
WORSE_AT_MOST = 0.35
"""One in eight comes from the lowest class by design; some were taken ahead before a better one was known."""


def check_fairness(evidence: Evidence) -> Iterator[str]:
    worse = choices = 0
    for name, requests in by_host(evidence.sent()).items():
        is_healthy = evidence.web.host(name).is_healthy and name not in evidence.wire.lost_look_ups
        if is_healthy and not evidence.orders.get(name) and not evidence.is_blacklisted(name):
            yield from _starved(evidence, requests)
        for is_worse in _choices(evidence, requests):
            choices += 1
            worse += is_worse
    if choices >= ENOUGH_CHOICES and worse > WORSE_AT_MOST * choices:
        yield f"a worse class was preferred {worse} times of {choices}"


def _starved(evidence: Evidence, requests: list[Request]) -> Iterator[str]:
    """The wait between the moment at which a URL could be requested and the moment at which it was."""
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
        if waited > _bound(evidence, request):
            yield f"{request.host} starved for {waited:.0f} s before {request.url.href}"


def _bound(evidence: Evidence, request: Request) -> float:
    """Slots may all be held by slow hosts, in rounds."""
    rounds = -(-len(evidence.web.hosts) // evidence.simulation.settings.fetch.concurrency)
    full = sum(ends - starts for starts, ends in evidence.life(request).pauses)
    longest = evidence.simulation.settings.fetch.total_timeout + LEASE_MARGIN
    return longest * rounds + full + MARGIN


def _choices(evidence: Evidence, requests: list[Request]) -> Iterator[bool]:
    """For each first request of a URL, where URLs of several classes had been waiting: whether a better one had. URLs
    are taken ahead for each origin, and a host's origins share its turns."""
    first: dict[bytes, float] = {}
    for request in evidence.tried_on(requests[0].host):
        first.setdefault(request.url.key, request.start)
    for origin in {request.url.origin for request in requests}:
        pages = [request for request in requests if request.kind != "robots" and request.url.origin == origin]
        yield from _choices_of_origin(evidence, pages, first)


def _choices_of_origin(evidence: Evidence, pages: list[Request], first: dict[bytes, float]) -> Iterator[bool]:
    for index, request in enumerate(pages):
        key = request.url.key
        if first[key] != request.start or index <= AHEAD or pages[index - AHEAD - 1].life != request.life:
            continue
        decided = pages[index - AHEAD - 1].start
        waiting = {
            compute_class(found[0][1].priority)
            for other, found in evidence.discovered_on(request.url.origin)
            if found[0][0] < decided
            and first.get(other, 0.0) >= request.start
            and not evidence.ended(other, decided)
            and not evidence.is_parked(found[0][1])
        }
        if len(waiting) > 1:
            yield compute_class(evidence.discovered[key][0][1].priority) > min(waiting)
