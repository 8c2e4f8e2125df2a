"""P1, P2, P4, B2: no wait is longer than its rule requires, however the clock of the machine is set."""

from collections.abc import Iterator

from tests.simulation.judges.evidence import Evidence
from tests.simulation.web import DAY

SLACK = 60.0
LONGEST = DAY + SLACK
"""`Retry-After` and the retries of an unreachable robots.txt are capped at a day. All other waits are shorter, and so
are the operator's pauses."""


def check_waits(evidence: Evidence) -> Iterator[str]:
    for life in evidence.simulation.lives:
        if life.waits > LONGEST:
            yield f"life {life.number} ended with a wait of {life.waits:.0f} s for {life.waits_for}"
