"""The numbers that a run wrote down at its start. Computed with here, and nowhere else."""

import msgspec

from hondius.model import RunStarted

TOLERANCE = 0.001
"""Seconds: two threads read the clock that is compared."""
OBEYED_WITHIN = 2.0
"""Seconds from the commit of an operator's order to the moment it binds: a running crawl looks once a second."""
PRODUCT = "Hondius"
NOT_RECORDED = float("inf")


class Rules(msgspec.Struct, frozen=True):
    """The defaults are those of the specification, for logs that are older than this part of the event."""

    delay: float = 1.0
    duration_factor: float = 10.0
    duration_cap: float = 30.0
    back_off_cap: float = 60.0
    address_gap: float = 0.1
    address_concurrency: float = 8.0
    circuit_failures: float = NOT_RECORDED
    circuit_wait: float = 60.0
    circuit_cap: float = 3_600.0
    agent: str = PRODUCT
    recorded: bool = False

    @classmethod
    def of(cls, run: RunStarted) -> "Rules":
        return msgspec.convert({**run.rules, "agent": run.agent or PRODUCT, "recorded": bool(run.rules)}, cls)

    @property
    def waits(self) -> bool:
        """A delay of 0 switches every wait off (P1)."""
        return self.delay > 0

    def pause(self, duration: float) -> float:
        """Between the end of a request that took so long and the next one."""
        return max(self.delay, min(self.duration_cap, self.duration_factor * duration))

    def circuit(self, failures: int) -> float:
        """How long a host is left alone after so many failures in a row; 0: not at all (P4)."""
        beyond = failures - self.circuit_failures
        return 0.0 if beyond < 0 else min(self.circuit_cap, self.circuit_wait * 2.0 ** min(beyond, 32.0))

    def doubled(self, back_off: float) -> float:
        return min(self.back_off_cap, 2 * max(back_off, self.delay))


UNKNOWN = Rules(delay=0.0)
"""Of a run whose start was lost: nobody can tell how long it had to wait."""
