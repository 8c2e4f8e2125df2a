"""F4, F5, F7, U4: every URL ends in the expected state, none is lost, and none is fetched needlessly."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from hondius.crawler.politeness import find_treatment
from hondius.model import State
from tests.simulation.engine import NOT_RECORDED, Request
from tests.simulation.judges.evidence import Evidence, by_key
from tests.simulation.web import IDENTITY, Host

Ending = tuple[str, str]
NAME_TRIES = 4
SKIPPED = ".zip"
"""A suffix that is never fetched as a page."""
PLANTED = "planted fault"
"""Appears in the traceback of each URL that a fault of the simulation ended, and of no other."""


def check_ends(evidence: Evidence, pages: dict[bytes, dict[str, Any]]) -> Iterator[str]:
    requests = by_key([request for request in evidence.wire.requests if request.kind != "robots"])
    copied = Counter(page.body for page in evidence.web.pages.values())
    for key, page in pages.items():
        yield from _check_end(evidence, page, requests.get(key, []), copied)
    yield from _find_lost(evidence, pages)
    for key, attempts in requests.items():
        yield from _find_needless(evidence, key, attempts)


def _check_end(
    evidence: Evidence, page: dict[str, Any], requests: list[Request], copied: Counter[bytes]
) -> Iterator[str]:
    ending: Ending = (page["state"], page["cause"])
    made = [request for request in requests if request.answer.failure != NOT_RECORDED]
    if ending not in _list_possible_ends(evidence, page, [request for request in made if not request.cut], copied):
        last = requests[-1] if requests else None
        yield f"{page['url']} ended as {ending}, but was {last and last.answer.ends}"
    if ending[0] == State.FAILED and requests and find_treatment(ending[1]).retried and not ending[1].startswith("dns"):
        last_of_turns = [
            request
            for request, after in zip(made, [*made[1:], None], strict=True)
            if after is None or not evidence.is_same_turn(request, after)
        ]
        tries = sum(request.answer.ends[0] == "failed" for request in last_of_turns)
        if tries <= evidence.simulation.settings.politeness.retries:
            yield f"{page['url']} was given up after {tries} tries: {ending[1]}"


def _list_possible_ends(
    evidence: Evidence, page: dict[str, Any], answered: list[Request], copied: Counter[bytes]
) -> Iterator[Ending]:
    host = evidence.web.host(page["host"])
    path = IDENTITY.parse(page["url"]).path_and_query
    if evidence.is_blacklisted(host.name):
        yield "refused", "blacklisted"
    if path.startswith("/private/") or (host.robots == "edited" and path.startswith("/edited/")):
        yield "blocked", "robots"
    if host.trouble == "nxdomain":
        yield "failed", "dns_nxdomain"
    if evidence.wire.failed_look_ups.get(host.name, 0) >= NAME_TRIES:
        yield "failed", "dns_failure"
        if host.name in evidence.wire.lost_look_ups:
            yield "failed", "lease_ended"
    if path.endswith(SKIPPED):
        yield "refused", "extension"
    if PLANTED in page["detail"]:
        yield "failed", "internal"  # only by a fault of the simulation; anything else is a finding
    if answered:
        plan = evidence.web.by_key.get(page["key"])
        if answered[-1].answer.ends == ("refused", "type") and evidence.simulation.settings.scope.requisites:
            yield "completed", ""  # a picture, which some page may need
        yield from _list_ends_after(answered[-1], copied, plan.body if plan is not None else answered[-1].answer.body)


def _list_ends_after(request: Request, copied: Counter[bytes], body: bytes) -> Iterator[Ending]:
    """The ends that this request allows. `body`: of the requested page. A 304 has none; the page is unchanged."""
    answer = request.answer
    yield answer.ends
    if answer.ends[1] in ("http_404", "http_410"):
        yield "gone", answer.ends[1]
    if answer.ends[0] == "redirected":
        yield "failed", "redirect_loop"
        yield "failed", "too_many_redirects"
    if answer.ends in (("completed", ""), ("completed", "unchanged")) and copied[body] > 1:
        yield "duplicate", "copy"


def _find_lost(evidence: Evidence, pages: dict[bytes, dict[str, Any]]) -> Iterator[str]:
    known = pages.keys() | evidence.discovered.keys()
    for seed in evidence.web.seeds:
        if seed.url.key not in known:
            yield f"the seed {seed.href} was lost"
    for key, page in pages.items():
        plan = evidence.web.by_key.get(key)
        if plan is None or page["state"] != State.COMPLETED:
            continue
        for one in plan.requisites:
            if one.url.key not in known:
                yield f"{one.href}, which {page['url']} needs, was lost"
        if plan.kind not in ("page", "noindex", "sitemap"):
            continue
        for href in plan.linked:
            if evidence.simulation.settings.scope.requisites and href.endswith(SKIPPED):
                continue  # another page may need it, so its refusal is not stored
            if IDENTITY.parse(href).key not in known:
                yield f"{href}, linked from {page['url']}, was lost"
    for key, found in evidence.discovered.items():
        if all(evidence.is_parked(url) for _, url in found):
            continue  # `depth.py` checks which of them may stay parked
        if key not in pages and not _may_wait(evidence, evidence.web.host(IDENTITY.parse(found[0][1].href).host)):
            yield f"{found[0][1].href} was discovered and never ended"


def _may_wait(evidence: Evidence, host: Host) -> bool:
    """Whether its URLs may wait forever because robots.txt is unreachable (F7)."""
    return host.robots == "never"


def _find_needless(evidence: Evidence, key: bytes, requests: list[Request]) -> Iterator[str]:
    """A URL is requested once at a time. After its end it is requested only if the operator orders a recrawl."""
    for before, request in pairwise(requests):
        if request.start < before.end - 1e-4:
            yield f"{request.url.href} was out twice at once"
    ended = [at for at, _ in evidence.finished.get(key, [])]
    wanted = [at for at, _ in evidence.discovered.get(key, [])]
    for request in requests:
        last_end = max((at for at in ended if at < request.start), default=None)
        if last_end is not None and not any(last_end <= at <= request.start for at in wanted):
            yield f"{request.url.href} was requested after it had ended"
