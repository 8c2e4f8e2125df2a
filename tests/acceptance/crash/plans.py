"""The kinds of rounds. A web is so large that its crawl outlives the kills, and so small that it ends soon after
them."""

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
    """None: the default delay, and the pauses are judged."""
    hosts: int
    pages_per_host: int
    slowest: float
    longest: float
    """Seconds that a process may live before it is killed."""
    kills: int
    """Maximum kills per round."""
    disk_bytes: int = 0
    """Size of its file system; 0: uses the system's temporary directory."""
    reserve: int | None = None
    """`stores.free_bytes`; 0: the disk is filled completely, and any write may fail."""

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
