"""Requests that were sent but never committed, from the attempt records that survive `kill -9`."""

from collections.abc import Sequence
from itertools import pairwise

from hondius.native import Attempt


def unfinished_requests(runs: Sequence[Sequence[Attempt]], now: float) -> dict[int, tuple[float, float]]:
    """Host hash → (when its last request ended, how long it took), from the records of each run, the oldest first.

    A request without an end was cut off when its process died, nobody knows when: it counts as ended when the next run
    gave its first sign of life, or now. It took as long as there were signs of life behind it.
    """
    requests: dict[int, tuple[float, float]] = {}
    for attempts, following in pairwise([*runs, ()]):
        requests |= _last_requests(attempts, following[0].at if following else now)
    return requests


def _last_requests(attempts: Sequence[Attempt], dead_by: float) -> dict[int, tuple[float, float]]:
    last_sign = max((attempt.at for attempt in attempts), default=0.0)
    started: dict[int, float] = {}
    requests: dict[int, tuple[float, float]] = {}
    for attempt in attempts:
        if not attempt.ended:
            started[attempt.host_hash] = attempt.at
            requests[attempt.host_hash] = (dead_by, last_sign - attempt.at)
        elif attempt.host_hash in started:
            requests[attempt.host_hash] = (attempt.at, attempt.at - started[attempt.host_hash])
    return requests
