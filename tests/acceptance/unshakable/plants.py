"""Planted bugs of the simulation: each must be found within 200 seeds; those that the base knows, there as well."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.acceptance.base import build_base
from tests.acceptance.base.build import ROOT
from tests.acceptance.figure import Figure
from tests.simulation.plants import PLANTS

SEEDS = 200


def figures() -> Iterator[Figure]:
    base = build_base()
    for plant in PLANTS:
        before = _first_seed(base.python, base.sources, plant)
        today = _first_seed(Path(sys.executable), ROOT, plant)
        found = "not found" if today is None else f"found by seed {today}"
        known = "not known to the base" if before is None else f"at the base by seed {before}"
        yield Figure(f"planted bug {plant}", today is not None, f"{found}, {known}", f"within {SEEDS} seeds")


def _first_seed(python: Path, place: Path, plant: str) -> int | None:
    command = [str(python), "-m", "tests.simulation", "--seeds", str(SEEDS), "--plant", plant]
    ended = subprocess.run(command, cwd=place, check=False, capture_output=True, text=True, timeout=3_600)
    seed = re.search(r"seed (\d+)", ended.stdout)
    return int(seed[1]) if ended.returncode == 0 and seed else None
