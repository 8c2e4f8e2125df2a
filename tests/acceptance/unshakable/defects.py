"""Every test of `tests/unshakable`, on the base and on today's build; the command prints both columns."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests.acceptance.base import build_base
from tests.acceptance.base.build import ROOT
from tests.acceptance.figure import Figure

TESTS = "tests/unshakable"
PATIENCE = 5_400


@dataclass(frozen=True)
class Result:
    name: str
    """The defect in words, as its marker says."""
    inside: bool
    outcome: str
    """green, red, or skipped."""


def figures() -> Iterator[Figure]:
    before = _run(build_base().python)
    today = _run(Path(sys.executable))
    if not today:
        yield Figure("defects", False, "no test ran")
    for test, result in today.items():
        base = before.get(test)
        was = base.outcome if base is not None else "not run"
        where = " (inside)" if result.inside else ""
        yield Figure(result.name + where, (was, result.outcome) == ("red", "green"), f"{was} → {result.outcome}")


def _run(python: Path) -> dict[str, Result]:
    with tempfile.TemporaryDirectory(prefix="hondius-defects-") as scratch:
        report = Path(scratch) / "report.xml"
        command = [
            str(python),
            "-m",
            "pytest",
            "-q",
            "--long",
            "-p",
            "no:cacheprovider",
            f"--junit-xml={report}",
            TESTS,
        ]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        subprocess.run(command, cwd=ROOT, env=environment, check=False, stdout=subprocess.DEVNULL, timeout=PATIENCE)
        return dict(_read(report)) if report.exists() else {}


def _read(report: Path) -> Iterator[tuple[str, Result]]:
    for case in ElementTree.parse(report).iter("testcase"):
        properties = {found.get("name"): found.get("value", "") for found in case.iter("property")}
        if "defect" not in properties:
            continue
        outcome = "green"
        if case.find("failure") is not None or case.find("error") is not None:
            outcome = "red"
        elif case.find("skipped") is not None:
            outcome = "skipped"
        test = f"{case.get('classname')}::{case.get('name')}"
        yield test, Result(properties["defect"], properties["inside"] == "True", outcome)
