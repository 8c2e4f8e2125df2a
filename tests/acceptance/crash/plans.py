"""The kinds of rounds. A web is large enough to outlive its kills, and small enough to end soon after them."""

from dataclasses import dataclass, replace

SMALL_FILES = {
    "stores.warc_bytes": 65_536,
    "stores.log_bytes": 16_384,
    "stores.expected_urls": 100_000,
    "stores.store_memory": 4 * 2**20,
}
"""So that segments and WARC files are rotated all the time, and a start is cheap."""


@dataclass(frozen=True)
class Plan:
    name: str
    delay: float | None
    """None: the default, and the pauses are judged."""
    hosts: int
    pages_per_host: int
    slowest: float
    longest: float
    """Seconds that a process may live before it is killed."""
    kills: int
    """A round, at most."""
    disk_bytes: int = 0
    """Of the file system that it runs on; 0: that of the system's temporary files."""
    reserve: int | None = None
    """`stores.free_bytes`; 0: the disk is filled to the brim, and any write may meet it."""

    @property
    def settings(self) -> list[str]:
        values = SMALL_FILES | ({} if self.reserve is None else {"stores.free_bytes": self.reserve})
        return [text for name, value in values.items() for text in ("--set", f"{name}={value}")]


HASTY = Plan("no delay", 0.0, hosts=60, pages_per_host=16, slowest=0.5, longest=0.8, kills=10)
POLITE = Plan("1 s delay", None, hosts=12, pages_per_host=3, slowest=0.2, longest=4.0, kills=10)
BRIM = replace(
    HASTY, name="full disk, no reserve", pages_per_host=14, longest=1.0, kills=6, disk_bytes=48 * 2**20, reserve=0
)
RESERVE = replace(BRIM, name="full disk", reserve=2 * 2**20)
PLANS = {plan.name: plan for plan in (HASTY, POLITE, RESERVE, BRIM)}
