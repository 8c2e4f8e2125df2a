"""Finds requests that were sent but never committed, in the attempt records, which survive `kill -9`."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from hondius.native import Attempt

PUSHED_BACK = frozenset({429, 503})


class Sent(NamedTuple):
    """The last request to a host, from the attempt records."""

    ended_at: float
    duration: float
    pushed_back: tuple[float, ...] = ()
    """When the last answers came, if they were 429 or 503. The log may or may not have them."""


def find_unfinished_requests(runs: Sequence[Sequence[Attempt]], now: float) -> dict[int, Sent]:
    """By host hash, from the records of each run, oldest first.

    A request without an end was cut off when its process died, at an unknown time. It counts as ended when the next run
    wrote its first record, or now. Its duration lasts until the last record of its own run. If the clock was set back
    since, its time is in the future, and it counts as ended now."""
    requests: dict[int, Sent] = {}
    for attempts, following in pairwise([*runs, ()]):
        _add_attempts(requests, attempts, following[0].at if following else now, now)
    return requests


def _add_attempts(requests: dict[int, Sent], attempts: Sequence[Attempt], dead_by: float, now: float) -> None:
    last_sign = max((attempt.at for attempt in attempts), default=0.0)
    dead_by = min(now, dead_by if dead_by >= last_sign else now)
    started: dict[int, float] = {}
    for attempt in attempts:
        host = attempt.host_hash
        before = requests[host].pushed_back if host in requests else ()
        if attempt.ended and not attempt.sent:
            # Nothing was sent, so nothing was answered; the turn is over nevertheless (P1).
            requests[host] = Sent(min(attempt.at, now), attempt.at - started.get(host, attempt.at), before)
        elif not attempt.ended:
            started[host] = attempt.at
            requests[host] = Sent(dead_by, last_sign - attempt.at, before)
        elif host in started:
            ended_at = min(attempt.at, now)
            pushed_back = (*before, ended_at) if attempt.status in PUSHED_BACK else ()
            requests[host] = Sent(ended_at, attempt.at - started[host], pushed_back)
