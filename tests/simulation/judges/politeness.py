"""P1-P3 as the servers saw them, across every crash."""

from collections.abc import Iterator
from itertools import pairwise

from tests.simulation.engine import CONNECTING, Request
from tests.simulation.judges.evidence import Evidence, by_address, by_host

EPSILON = 1e-4
PUSHED_BACK = (429, 503)
LONGEST_PAUSE = 60.0
"""Seconds. No delay is longer, so a host may be contacted at any time after that."""


def check_politeness(evidence: Evidence) -> Iterator[str]:
    for host, requests in by_host(evidence.sent()).items():
        for before, request in pairwise(requests):
            yield from _check_pair(evidence, host, before, request)
        yield from _check_pauses(evidence, host, requests)
    for host, tries in by_host(evidence.tries()).items():
        for before, request in pairwise(tries):
            yield from _check_tries(evidence, host, before, request)
    if evidence.delay:
        for address, requests in by_address(evidence.sent()).items():
            yield from _check_address(evidence, address, requests)
        for address, tries in by_address(evidence.tries()).items():
            yield from _check_crowd(evidence, address, tries)


def _check_tries(evidence: Evidence, host: str, before: Request, request: Request) -> Iterator[str]:
    """A failed connection and the tries at the host's other addresses are one turn of the host; the next turn waits as
    after a request. A life does not record its last try at once."""
    if request.start < before.end - EPSILON:
        yield f"two tries at {host} at once: {_describe(evidence, before)} and {_describe(evidence, request)}"
    if before.sent or before.life != request.life or evidence.is_same_turn(before, request):
        return
    if request.start < before.end + evidence.delay - EPSILON:
        yield (
            f"{host} was tried again {request.start - before.end:.3f} s after a connection that failed: "
            f"{_describe(evidence, before)}, {_describe(evidence, request)}"
        )


def _check_pair(evidence: Evidence, host: str, before: Request, request: Request) -> Iterator[str]:
    if request.start < before.end - EPSILON:
        yield f"two requests to {host} at once: {_describe(evidence, before)} and {_describe(evidence, request)}"
    for why, needed in _list_required_pauses(evidence, host, before, request):
        if request.start < before.end + needed - EPSILON:
            yield (
                f"{host} was contacted {request.start - before.end:.3f} s after an answer, {needed:.3f} were asked "
                f"for by {why}: {_describe(evidence, before)}, {_describe(evidence, request)}"
            )


def _list_required_pauses(
    evidence: Evidence, host: str, before: Request, request: Request
) -> Iterator[tuple[str, float]]:
    """The minimum pauses between two requests, each with its reason."""
    order = evidence.order_in_force(host, before.end)
    if order is not None and order.delay and order is evidence.order_in_force(host, request.start):
        is_forgotten = _was_power_lost(evidence, before, request) or evidence.was_set_forward(before, request)
        yield "the operator", 0.0 if is_forgotten else order.delay
    if not evidence.delay:
        return
    yield "the delay", evidence.delay
    if _was_power_lost(evidence, before, request) or evidence.was_set_forward(before, request):
        return
    if before.cut:
        since_start = evidence.life(request).start + evidence.delay - before.end
        yield "the start", min(LONGEST_PAUSE, since_start)
        return
    if before.recorded:
        yield "its duration", min(30.0, 10 * (before.end - before.start))
    yield from _list_requested_pauses(evidence, host, before, request)


def _list_requested_pauses(
    evidence: Evidence, host: str, before: Request, request: Request
) -> Iterator[tuple[str, float]]:
    """The pauses that the server requested; across a crash only durable ones."""
    same_life = before.life == request.life
    plan = evidence.web.host(host)
    robots_known = _is_robots_durable(evidence, host, before) or (same_life and _has_robots_arrived(evidence, before))
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


def _is_robots_durable(evidence: Evidence, host: str, before: Request) -> bool:
    """Of any origin of the host: all share one pace."""
    return any(
        copy.outcome == "parsed" and written <= before.end
        for scheme in ("http", "https")
        for written, copy in evidence.robots[f"{scheme}://{host}"]
    )


def _has_robots_arrived(evidence: Evidence, before: Request) -> bool:
    """False if robots.txt was truncated or unanswered: then this process knows no Crawl-delay."""
    came_at = evidence.robots_came.get((before.host, before.life))
    return came_at is not None and came_at <= before.end


def _was_power_lost(evidence: Evidence, before: Request, request: Request) -> bool:
    lives = evidence.simulation.lives[before.life : request.life]
    return any(life.interruption.kind == "power" and life.reason == "killed" for life in lives)


def _check_pauses(evidence: Evidence, host: str, requests: list[Request]) -> Iterator[str]:
    for request in requests:
        order = evidence.order_in_force(host, request.start - CONNECTING)
        if order is None or not order.paused_until or request.start >= order.paused_until - EPSILON:
            continue
        if not evidence.pause_seems_over(order, request):
            yield f"{host} was contacted while the operator had it paused: {_describe(evidence, request)}"


def _check_address(evidence: Evidence, address: str, requests: list[Request]) -> Iterator[str]:
    politeness = evidence.simulation.settings.politeness
    for before, request in pairwise(requests):
        if request.start - before.start < politeness.address_gap - EPSILON:
            yield (
                f"{address} was contacted after {request.start - before.start:.4f} s: "
                f"{_describe(evidence, before)}, {_describe(evidence, request)}"
            )


def _check_crowd(evidence: Evidence, address: str, tries: list[Request]) -> Iterator[str]:
    """Each try has its own turn at its address. The engine spaces requests to the millisecond; only the crawl spaces
    connections."""
    politeness = evidence.simulation.settings.politeness
    for before, request in pairwise(sorted(tries, key=lambda one: one.tried_at)):
        is_close = request.tried_at - before.tried_at < politeness.address_gap - CONNECTING - EPSILON
        if is_close and before.life == request.life:
            yield (
                f"{address} was tried after {request.tried_at - before.tried_at:.4f} s: "
                f"{_describe(evidence, before)}, {_describe(evidence, request)}"
            )
    under_way: list[Request] = []
    for request in tries:
        under_way = [one for one in under_way if one.end > request.start + EPSILON] + [request]
        if len(under_way) > politeness.address_concurrency:
            yield f"{len(under_way)} tries at {address} at once: {_describe(evidence, request)}"


def _describe(evidence: Evidence, request: Request) -> str:
    dawn = evidence.web.dawn
    return (
        f"[{request.kind} {request.url.href} {request.start - dawn:.3f}-{request.end - dawn:.3f}"
        f"{' cut' if request.cut else ''} {request.answer.status or request.answer.failure} life {request.life}]"
    )
