"""The politeness rules that a run recorded at its start, and all arithmetic with them."""

import msgspec

from hondius.model import RunStarted

TOLERANCE = 0.001
"""Seconds: the two times compared are read by different threads."""
OBEYED_WITHIN = 2.0
"""Seconds from the commit of an order until it applies: a running crawl checks for orders once a second."""
PRODUCT = "Hondius"
NOT_RECORDED = float("inf")


class Rules(msgspec.Struct, frozen=True):
    """The defaults are those of the specification, for older logs that did not record them."""

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
    def has_waits(self) -> bool:
        """A delay of 0 turns off all waiting (P1)."""
        return self.delay > 0

    def compute_pause(self, duration: float) -> float:
        """The delay after a request that took `duration` seconds."""
        return max(self.delay, min(self.duration_cap, self.duration_factor * duration))

    def compute_circuit_wait(self, failures: int) -> float:
        """Seconds that a host is not contacted after consecutive failures; 0 if its circuit stays closed (P4)."""
        beyond = failures - self.circuit_failures
        return 0.0 if beyond < 0 else min(self.circuit_cap, self.circuit_wait * 2.0 ** min(beyond, 32.0))

    def double_back_off(self, back_off: float) -> float:
        return min(self.back_off_cap, 2 * max(back_off, self.delay))


UNKNOWN = Rules(delay=0.0)
"""For a run whose start was lost: its required delays are unknown."""
