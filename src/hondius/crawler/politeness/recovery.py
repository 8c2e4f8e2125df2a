"""Requests that were sent but never committed, from the attempt records that survive `kill -9`."""

from collections.abc import Iterable, Sequence

from hondius.native import Attempt


def unfinished_requests(runs: Iterable[Sequence[Attempt]], now: float) -> dict[int, tuple[float, float]]:
    """Host hash → (when its last request ended, how long it took), from the records of some runs in order."""
    requests: dict[int, tuple[float, float]] = {}
    for attempts in runs:
        requests |= _last_requests(attempts, now)
    return requests


def _last_requests(attempts: Sequence[Attempt], now: float) -> dict[int, tuple[float, float]]:
    """A request without an end was cut off when its run died, nobody knows when: it counts as ended now. It took as
    long as there were signs of life behind it."""
    last_sign = max((attempt.at for attempt in attempts), default=0.0)
    started: dict[int, float] = {}
    requests: dict[int, tuple[float, float]] = {}
    for attempt in attempts:
        if not attempt.ended:
            started[attempt.host_hash] = attempt.at
            requests[attempt.host_hash] = (now, last_sign - attempt.at)
        elif attempt.host_hash in started:
            requests[attempt.host_hash] = (attempt.at, attempt.at - started[attempt.host_hash])
    return requests
