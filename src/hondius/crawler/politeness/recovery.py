"""Requests that were sent but never committed, from the attempt records that survive `kill -9`."""

from collections.abc import Iterable, Sequence

from hondius.native import Attempt


def unfinished_requests(runs: Iterable[Sequence[Attempt]]) -> dict[int, tuple[float, float]]:
    """Host hash → (when its last request ended, how long it took), from the records of each run, the oldest first.

    A request without an end was cut off when its process died: the last record of the run is the last sign of
    life there is.
    """
    requests: dict[int, tuple[float, float]] = {}
    for attempts in runs:
        last_sign = max((attempt.at for attempt in attempts), default=0.0)
        started: dict[int, float] = {}
        for attempt in attempts:
            if not attempt.ended:
                started[attempt.host_hash] = attempt.at
                requests[attempt.host_hash] = (last_sign, last_sign - attempt.at)
            elif attempt.host_hash in started:
                requests[attempt.host_hash] = (attempt.at, attempt.at - started[attempt.host_hash])
    return requests
