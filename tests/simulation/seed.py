"""Runs one seed, judges it and sums it up: once on one machine, once on a cluster."""

import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.off_loop import ReadOnTheLoop, guard_loops
from tests.simulation.cluster import judge
from tests.simulation.cluster.simulation import ClusterSimulation
from tests.simulation.judges.verdict import verdict
from tests.simulation.simulation import EVENTS, Simulation, Violation

MEMORY = Path("/dev/shm")


@dataclass(frozen=True)
class Result:
    seed: int
    counts: Counter[str]
    findings: list[str]
    story: list[str]
    trace: str
    """Equal for equal runs."""

    def __add__(self, other: "Result") -> "Result":
        return Result(
            self.seed,
            self.counts + other.counts,
            self.findings + other.findings,
            self.story + other.story,
            self.trace + other.trace,
        )


def run_seed(seed: int, events: int = EVENTS) -> Result:
    return run_machine(seed, events) + run_cluster(seed)


def run_machine(seed: int, events: int = EVENTS) -> Result:
    with tempfile.TemporaryDirectory(prefix="hondius-", dir=MEMORY if MEMORY.is_dir() else None) as place:
        simulation = Simulation(seed, Path(place), events)
        try:
            with guard_loops():
                simulation.run()
            findings = list(verdict(simulation, Path(place)))
        except (Violation, ReadOnTheLoop) as violation:
            findings = [str(violation)]
        counts = simulation.counts + Counter(requests=len(simulation.wire.requests)) + simulation.wire.lost
        return Result(seed, counts, findings, simulation.story, simulation.trace)


def run_cluster(seed: int) -> Result:
    simulation = ClusterSimulation(seed)
    try:
        simulation.run()
        findings = list(judge.verdict(simulation))
    except Violation as violation:
        findings = [f"cluster: {violation}"]
    finally:
        simulation.stop()
    counts = simulation.counts + Counter(requests=len(simulation.wires.exchanges))
    return Result(seed, counts, findings, simulation.story, simulation.trace)
