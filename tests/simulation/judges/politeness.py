"""P1-P3 as the servers saw them, across every crash."""

from collections.abc import Iterator
from itertools import pairwise

from tests.simulation.engine import CONNECTING, Request
from tests.simulation.judges.evidence import Evidence, by_address, by_host

EPSILON = 1e-4
PUSHED_BACK = (429, 503)
LONGEST_PAUSE = 60.0
"""No delay is longer; what was contacted before that may be contacted at any time."""


def check_politeness(evidence: Evidence) -> Iterator[str]:
    for host, requests in by_host(evidence.sent()).items():
        for before, request in pairwise(requests):
            yield from _pair(evidence, host, before, request)
        yield from _pauses(evidence, host, requests)
    for host, tries in by_host(evidence.tries()).items():
        for before, request in pairwise(tries):
            yield from _tries(evidence, host, before, request)
    if evidence.delay:
        for address, requests in by_address(evidence.sent()).items():
            yield from _address(evidence, address, requests)
        for address, tries in by_address(evidence.tries()).items():
            yield from _crowd(evidence, address, tries)


def _tries(evidence: Evidence, host: str, before: Request, request: Request) -> Iterator[str]:
    """Connections that do not come about are one turn of the host with what follows at its other addresses; the next
    turn waits as after a request. What a life knows of the last one is not written down at once."""
    if request.start < before.end - EPSILON:
        yield f"two tries at {host} at once: {_shown(evidence, before)} and {_shown(evidence, request)}"
    if before.sent or before.life != request.life or evidence.is_same_turn(before, request):
        return
    if request.start < before.end + evidence.delay - EPSILON:
        yield (
            f"{host} was tried again {request.start - before.end:.3f} s after a connection that failed: "
            f"{_shown(evidence, before)}, {_shown(evidence, request)}"
        )


def _pair(evidence: Evidence, host: str, before: Request, request: Request) -> Iterator[str]:
    if request.start < before.end - EPSILON:
        yield f"two requests to {host} at once: {_shown(evidence, before)} and {_shown(evidence, request)}"
    for why, needed in _needs(evidence, host, before, request):
        if request.start < before.end + needed - EPSILON:
            yield (
                f"{host} was contacted {request.start - before.end:.3f} s after an answer, {needed:.3f} were asked "
                f"for by {why}: {_shown(evidence, before)}, {_shown(evidence, request)}"
            )


def _needs(evidence: Evidence, host: str, before: Request, request: Request) -> Iterator[tuple[str, float]]:
    """What the pause between two requests must not fall short of, and why."""
    order = evidence.order_in_force(host, before.end)
    if order is not None and order.delay and order is evidence.order_in_force(host, request.start):
        is_forgotten = _power_lost(evidence, before, request) or evidence.was_set_forward(before, request)
        yield "the operator", 0.0 if is_forgotten else order.delay
    if not evidence.delay:
        return
    yield "the delay", evidence.delay
    if _power_lost(evidence, before, request) or evidence.was_set_forward(before, request):
        return
    if before.cut:
        since_start = evidence.life(request).start + evidence.delay - before.end
        yield "the start", min(LONGEST_PAUSE, since_start)
        return
    if before.recorded:
        yield "its duration", min(30.0, 10 * (before.end - before.start))
    yield from _asked(evidence, host, before, request)


def _asked(evidence: Evidence, host: str, before: Request, request: Request) -> Iterator[tuple[str, float]]:
    """What the server asked for; across a crash only what was durable."""
    same_life = before.life == request.life
    plan = evidence.web.host(host)
    robots_known = _robots_were_durable(evidence, host, before) or (same_life and _robots_came(evidence, before))
    if plan.crawl_delay and robots_known:
        yield "Crawl-delay", plan.crawl_delay
    answer = before.answer
    if answer.status not in PUSHED_BACK or answer.failure:
        return
    if answer.retry_after is None and same_life:
        yield "a push back", min(60.0, 2 * evidence.delay)
    elif answer.retry_after is not None:
        until = before.end + answer.retry_after
        kept = any(
            state.not_before >= until - EPSILON
            for at, state in evidence.hosts[host]
            if before.end - EPSILON <= at <= request.start
        )
        if same_life or kept:
            yield "Retry-After", answer.retry_after


def _robots_were_durable(evidence: Evidence, host: str, before: Request) -> bool:
    """Of whichever origin of the host: it has one pace."""
    return any(
        copy.outcome == "parsed" and written <= before.end
        for scheme in ("http", "https")
        for written, copy in evidence.robots[f"{scheme}://{host}"]
    )


def _robots_came(evidence: Evidence, before: Request) -> bool:
    """A robots.txt that was cut off, or that the host did not answer, told this process of no Crawl-delay."""
    came_at = evidence.robots_came.get((before.host, before.life))
    return came_at is not None and came_at <= before.end


def _power_lost(evidence: Evidence, before: Request, request: Request) -> bool:
    lives = evidence.simulation.lives[before.life : request.life]
    return any(life.blow.kind == "power" and life.reason == "killed" for life in lives)


def _pauses(evidence: Evidence, host: str, requests: list[Request]) -> Iterator[str]:
    for request in requests:
        order = evidence.order_in_force(host, request.start - CONNECTING)
        if order is None or not order.paused_until or request.start >= order.paused_until - EPSILON:
            continue
        if not evidence.pause_seems_over(order, request):
            yield f"{host} was contacted while the operator had it paused: {_shown(evidence, request)}"


def _address(evidence: Evidence, address: str, requests: list[Request]) -> Iterator[str]:
    politeness = evidence.simulation.settings.politeness
    for before, request in pairwise(requests):
        if request.start - before.start < politeness.address_gap - EPSILON:
            yield (
                f"{address} was contacted after {request.start - before.start:.4f} s: "
                f"{_shown(evidence, before)}, {_shown(evidence, request)}"
            )


def _crowd(evidence: Evidence, address: str, tries: list[Request]) -> Iterator[str]:
    """Each try has its own turn at its address. The engine paces what it sends to the millisecond, connections are
    paced by the crawl alone."""
    politeness = evidence.simulation.settings.politeness
    for before, request in pairwise(tries):
        is_close = request.start - before.start < politeness.address_gap - CONNECTING - EPSILON
        if is_close and before.life == request.life:
            yield (
                f"{address} was tried after {request.start - before.start:.4f} s: "
                f"{_shown(evidence, before)}, {_shown(evidence, request)}"
            )
    under_way: list[Request] = []
    for request in tries:
        under_way = [one for one in under_way if one.end > request.start + EPSILON] + [request]
        if len(under_way) > politeness.address_concurrency:
            yield f"{len(under_way)} tries at {address} at once: {_shown(evidence, request)}"


def _shown(evidence: Evidence, request: Request) -> str:
    dawn = evidence.web.dawn
    return (
        f"[{request.kind} {request.url.href} {request.start - dawn:.3f}-{request.end - dawn:.3f}"
        f"{' cut' if request.cut else ''} {request.answer.status or request.answer.failure} life {request.life}]"
    )
