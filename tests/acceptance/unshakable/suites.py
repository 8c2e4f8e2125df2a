"""Runs the older test suites again; only planted bugs may end a URL as `internal`.

Each command runs completely, and its last line is shown. Every process records each bug that ends a URL as `internal`
in a file (`witness/sitecustomize.py`), even if its own judges check something else. Bugs that end no URL count, too.
The traceback of a planted bug says that it is planted.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.acceptance.earlier_build.build import ROOT
from tests.acceptance.figure import Figure

COMMANDS = (
    ("make", "test"),
    ("make", "crash", "N=300", "FRESH=1"),
    ("make", "simulate", "SEEDS=500"),
    ("make", "accept", "ONLY=lossless"),
    ("make", "accept", "ONLY=reading"),
    ("make", "accept", "ONLY=audit"),
)
SHOWN = 400
OF_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "PART", "ONLY")
"""Variables of make that the commands below must not inherit: they would run only that part."""
WITNESS = Path(__file__).with_name("witness")
PLANTED = "planted"
"""Part of the message of every exception that a test or a simulation plants."""
DESTROYED = "GeneratorExit"
"""In the traceback of a journey that the simulation killed with its process: Python destroys the coroutine later, when
its stores are closed. A process that is really killed runs nothing any more."""


def figures() -> Iterator[Figure]:
    yield _watch_a_plant()
    for command in COMMANDS:
        yield from run(command)


def run(command: Sequence[str]) -> Iterator[Figure]:
    name = " ".join(command)
    with tempfile.TemporaryDirectory(prefix="hondius-suites-") as scratch:
        notes = Path(scratch) / "internal"
        ended = _run_watched(command, notes)
        lines = ended.stdout.strip().splitlines() or ["it printed nothing"]
        said = next((line for line in reversed(lines) if not line.startswith("make")), lines[-1])
        if ended.returncode != 0:
            said = " / ".join(lines[-6:])
        yield Figure(name, ended.returncode == 0, said[-SHOWN:], "exit 0")
        yield _internal(name, _read(notes))


def _run_watched(command: Sequence[str], notes: Path) -> subprocess.CompletedProcess[str]:
    outside = {name: value for name, value in os.environ.items() if name not in OF_MAKE}
    environment = {**outside, "PYTHONPATH": str(WITNESS), "HONDIUS_INTERNAL_NOTES": str(notes)}
    return subprocess.run(
        command, cwd=ROOT, env=environment, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def _read(notes: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in notes.read_text().splitlines()] if notes.exists() else []


def _internal(name: str, ends: list[dict[str, Any]]) -> Figure:
    ends = [end for end in ends if DESTROYED not in end["detail"]]
    unplanted = [end for end in ends if PLANTED not in end["detail"]]
    shown = "".join(f"; {end['test']} {end['what']}: {end['detail'][-150:]!r}" for end in unplanted[:3])
    measured = f"{len(unplanted)}{shown}, beside {len(ends) - len(unplanted)} by plants"
    return Figure(f"URLs that end `internal` in {name}", not unplanted, measured, "0")


def _watch_a_plant() -> Figure:
    """Checks the witness itself: a test that plants two bugs must leave its records."""
    command = ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/unshakable/test_boundary.py")
    with tempfile.TemporaryDirectory(prefix="hondius-suites-") as scratch:
        notes = Path(scratch) / "internal"
        _run_watched(command, notes)
        seen = [end for end in _read(notes) if PLANTED in end["detail"]]
    return Figure("planted internal ends that the witness saw", bool(seen), str(len(seen)), "at least 1")
