"""Planted bugs of the simulation: each must be found within 200 seeds, also on the earlier build if it has the bug.

Also exceptions that must be survived: at each step of a journey, of a host's preparation, of the hand-out and of a
re-reading, each raised a few times. The crawl must still find everything of the simulated web.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.acceptance.earlier_build import make_earlier_build
from tests.acceptance.earlier_build.build import ROOT
from tests.acceptance.figure import Figure
from tests.simulation.faults import HAND_OUT, JOURNEY, PREPARATION, REREADING, Step, exceptions_at
from tests.simulation.plants import PLANTS
from tests.simulation.seed import run_machine

SEEDS = 200
JOBS = 2
PATIENCE = 1_800
RAISED = 3
"""Number of exceptions of a step that are enough."""
OFTEN, MORE_OFTEN = 0.2, 0.5
"""The share of a step's calls that fail, and the share after `USUALLY_ENOUGH` seeds: some steps are rare."""
USUALLY_ENOUGH = 30
UNKNOWN_PLANT = 2
"""Exit status of the command for an unknown name."""
UNREACHED = ("submit_piece", "admit_refetch")
"""Steps that the simulated web does not reach: no answer is so long that its links are stored in pieces, and no archive
loses a page that must then be refetched."""


def _list_reached(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(step for step in steps if step[1] not in UNREACHED)


STEPS: dict[str, tuple[Step, ...]] = {
    "a journey": _list_reached(JOURNEY),
    "a host's preparation": PREPARATION,
    "the hand-out": HAND_OUT,
    "a re-reading": _list_reached(REREADING),
}


@dataclass(frozen=True)
class Search:
    is_known: bool
    seed: int | None = None
    finding: str = ""

    def __str__(self) -> str:
        if not self.is_known:
            return "not planted there"
        return f"seed {self.seed}" if self.seed is not None else f"not found: {self.finding}"


def figures() -> Iterator[Figure]:
    yield from _plants()
    with ProcessPoolExecutor(JOBS) as pool:
        for name, steps in STEPS.items():
            yield _survive(name, steps, pool)


def _plants() -> Iterator[Figure]:
    earlier = make_earlier_build()
    with ThreadPoolExecutor(JOBS) as pool:
        for plant in PLANTS:
            searches = pool.map(
                partial(_search, plant=plant), (earlier.python, Path(sys.executable)), (earlier.sources, ROOT)
            )
            before, today = searches
            is_found = today.seed is not None and (before.seed is not None or not before.is_known)
            yield Figure(
                f"planted bug {plant}, earlier build → today", is_found, f"{before} → {today}", f"within {SEEDS} seeds"
            )
            print(f"       {today.finding[:160]}", flush=True)


def _search(python: Path, place: Path, plant: str) -> Search:
    command = [str(python), "-m", "tests.simulation", "--seeds", str(SEEDS), "--plant", plant]
    try:
        ended = subprocess.run(command, cwd=place, check=False, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return Search(is_known=True, finding=f"given up after {PATIENCE} s")
    if ended.returncode == UNKNOWN_PLANT and "invalid choice" in ended.stderr:
        return Search(is_known=False)
    found = re.search(r"found at seed (\d+): (.*)", ended.stdout)
    if ended.returncode != 0 or found is None:
        return Search(is_known=True, finding=(ended.stdout + ended.stderr).strip()[-160:])
    if "'internal'" in found[2]:
        return Search(is_known=True, finding=f"the plant itself fails: {found[2]}")
    return Search(is_known=True, seed=int(found[1]), finding=found[2])


@dataclass(frozen=True)
class Survival:
    step: str
    raised: int
    seeds: int
    findings: list[str]


def _survive(name: str, steps: tuple[Step, ...], pool: ProcessPoolExecutor) -> Figure:
    tried = list(pool.map(_raise_at, [name] * len(steps), range(len(steps))))
    findings = [f"{one.step}: {finding}" for one in tried for finding in one.findings]
    unraised = [one.step for one in tried if one.raised == 0]
    wrong = "".join(f"; {text[:200]}" for text in (findings + [f"never raised {step}" for step in unraised])[:3])
    return Figure(
        f"exceptions at each step of {name}",
        not findings and not unraised,
        f"{sum(one.raised for one in tried)} raised at {len(steps) - len(unraised)} of {len(steps)} steps in "
        f"{sum(one.seeds for one in tried)} seeds, {len(findings)} findings{wrong}",
        "raised at every step, no finding of any judge",
    )


def _raise_at(name: str, number: int) -> Survival:
    """Identifies steps by number: classes and modules cannot be passed between processes."""
    step = STEPS[name][number]
    raised, findings, seed = 0, list[str](), 0
    for seed in range(SEEDS):
        with exceptions_at((step,), seed, OFTEN if seed < USUALLY_ENOUGH else MORE_OFTEN) as fault:
            result = run_machine(seed)
        raised += fault.raised
        findings += [f"seed {seed}: {finding}" for finding in result.findings]
        if raised >= RAISED or findings:
            break
    return Survival(f"{step[2]} {step[0].__name__}.{step[1]}", raised, seed + 1, findings)
