"""The results of a benchmark."""

from dataclasses import dataclass

from hondius.use.bench.threads import COMMIT, LOOP

BUSY = 0.85
QUIET = 0.3
"""Cores that may be busy with other work: the system itself needs some for the network."""


@dataclass(frozen=True, slots=True)
class LoopFigures:
    longest_callback: float
    """Seconds of CPU."""
    callback: str
    latest_beat: float
    """Largest delay of a beat, in seconds."""
    beats: int


@dataclass(frozen=True, slots=True)
class Figures:
    pages: int
    hosts: int
    seconds: float
    cpu_seconds: float
    """CPU time of the crawl, without the server."""
    machine_seconds: float
    """Busy time of all cores, for any process."""
    server_cpu_seconds: float
    peak_bytes: int
    wire_bytes: int
    connections: int
    cores: int
    threads: dict[str, float]
    stages: list[tuple[str, str, float]]
    """(thread, step, seconds of CPU)"""
    loop: LoopFigures | None = None
    """None if the loop was not watched."""

    @property
    def pages_per_second(self) -> float:
        return self.pages / self.seconds

    @property
    def milliseconds_per_page(self) -> float:
        return self.cpu_seconds * 1_000 / self.pages

    @property
    def accounted(self) -> float:
        """The share of the CPU time that the stages account for."""
        return sum(seconds for _, _, seconds in self.stages) / self.cpu_seconds

    @property
    def elsewhere(self) -> float:
        """Cores that were busy with other processes."""
        return max(0.0, self.machine_seconds - self.cpu_seconds - self.server_cpu_seconds) / self.seconds

    @property
    def waits_for(self) -> str:
        """The resource that limits the speed."""
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
