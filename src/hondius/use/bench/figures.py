"""What a run showed."""

from dataclasses import dataclass

from hondius.use.bench.threads import COMMIT, LOOP

BUSY = 0.85
QUIET = 0.3
"""Cores that may be busy with other things: the system needs some for the network."""


@dataclass(frozen=True, slots=True)
class LoopFigures:
    longest_callback: float
    """Seconds of CPU."""
    callback: str
    latest_beat: float
    """Seconds by which the latest of the beats came after its time."""
    beats: int


@dataclass(frozen=True, slots=True)
class Figures:
    pages: int
    hosts: int
    seconds: float
    cpu_seconds: float
    """Of the crawl; the server's is apart."""
    machine_seconds: float
    """For which the machine's cores were busy, with whatever."""
    server_cpu_seconds: float
    peak_bytes: int
    wire_bytes: int
    connections: int
    cores: int
    threads: dict[str, float]
    stages: list[tuple[str, str, float]]
    """(thread, step, seconds of CPU)"""
    loop: LoopFigures | None = None
    """None: it was not watched."""

    @property
    def pages_per_second(self) -> float:
        return self.pages / self.seconds

    @property
    def milliseconds_per_page(self) -> float:
        return self.cpu_seconds * 1_000 / self.pages

    @property
    def accounted(self) -> float:
        """The share of all CPU that the stages name."""
        return sum(seconds for _, _, seconds in self.stages) / self.cpu_seconds

    @property
    def elsewhere(self) -> float:
        """Cores that were busy with neither the crawl nor its server."""
        return max(0.0, self.machine_seconds - self.cpu_seconds - self.server_cpu_seconds) / self.seconds

    @property
    def waits_for(self) -> str:
        """What more of would make it faster."""
        elsewhere = self.elsewhere
        if elsewhere > QUIET:
            return (
                f"other programs, which kept {elsewhere:.1f} of {self.cores} cores busy: measure again when they do not"
            )
        busy = (self.cpu_seconds + self.server_cpu_seconds) / (self.seconds * self.cores)
        serving = self.server_cpu_seconds / (self.cpu_seconds + self.server_cpu_seconds)
        if busy > BUSY:
            return (
                f"the processor: {self.cores} cores were busy {busy:.0%} of the time, {serving:.0%} of it with serving"
            )
        for thread in (LOOP, COMMIT):
            share = self.threads.get(thread, 0.0) / self.seconds
            if share > BUSY:
                return f"the {thread}, one thread that was busy {share:.0%} of the time"
        return f"answers and the disk: {self.cores} cores were busy {busy:.0%} of the time"
