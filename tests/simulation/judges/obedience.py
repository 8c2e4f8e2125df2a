"""B1-B4: every request was allowed by the robots.txt that was served last and had not expired."""

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from hondius.native import Robots
from tests.simulation.answers import lifetime_of
from tests.simulation.engine import Request
from tests.simulation.judges.evidence import Evidence
from tests.simulation.web import Host

SLACK = 15.0
"""Seconds. A URL may already be handed out when the copy expires."""
EPSILON = 1e-4
AGENT = "Hondius"


def check_obedience(evidence: Evidence) -> Iterator[str]:
    copies: dict[str, list[Request]] = defaultdict(list)
    for request in sorted(evidence.wire.requests, key=lambda request: request.end):
        if request.kind == "robots" and not request.cut and _is_last_hop(evidence.web.host(request.host), request):
            copies[request.url.origin].append(request)
    for request in evidence.sent():
        if request.kind != "robots":
            yield from _check(evidence, request, copies[request.url.origin])


def _check(evidence: Evidence, request: Request, served: list[Request]) -> Iterator[str]:
    host = evidence.web.host(request.host)
    if host.robots == "elsewhere":
        return
    known = [copy for copy in served if copy.end <= request.start and not _is_lost(evidence, copy, request)]
    if not known:
        yield f"{request.url.href} was requested before its robots.txt was known"
        return
    last = known[-1]
    if _is_failure(last):
        known = [copy for copy in known if not _is_failure(copy)]
        if not known:
            yield f"{request.url.href} was requested though its robots.txt cannot be had"
            return
    elif request.start > last.end + lifetime_of(host) + SLACK + _find_hidden_age(evidence, request, known):
        yield f"{request.url.href} was requested by a robots.txt {request.start - last.end:.0f} s old"
    if not _allows(known[-1].answer.body if known[-1].answer.status == 200 else b"", request.url.path_and_query):
        yield f"{request.url.href} was requested though robots.txt forbids it"


def _is_lost(evidence: Evidence, copy: Request, request: Request) -> bool:
    """Whether an earlier life received it and ended before it was in a frame."""
    died = evidence.life(copy).end
    written = (at for at, _ in evidence.robots.get(copy.url.origin, ()))
    return copy.life != request.life and not any(copy.end - EPSILON <= at <= died + EPSILON for at in written)


def _find_hidden_age(evidence: Evidence, request: Request, known: list[Request]) -> float:
    """How much older a copy may be than the crawl can know. A copy of an earlier life whose clock was ahead seems
    younger by that difference, unless it seems to come from the future: then it counts as expired. Any copy may be the
    one in force, because later ones may have been lost."""
    life = evidence.life(request)
    in_doubt = [
        evidence.life(copy) for copy in known if copy.end + evidence.life(copy).set_by <= life.start + life.set_by
    ]
    return max((before.set_by - life.set_by for before in in_doubt if before.set_by > life.set_by), default=0.0)


def _is_last_hop(host: Host, request: Request) -> bool:
    """A failed hop is the last."""
    last = "/rules.txt" if host.robots == "moved" else "/robots.txt"
    return request.url.path_and_query == last or _is_failure(request)


def _is_failure(request: Request) -> bool:
    answer = request.answer
    return bool(answer.failure) or answer.status == 429 or answer.status >= 500


@lru_cache(maxsize=4096)
def _allows(body: bytes, path: str) -> bool:
    return Robots(body, AGENT).allowed(path)[0]
