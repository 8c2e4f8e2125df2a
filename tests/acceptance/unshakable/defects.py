"""Every test of `tests/unshakable`, on the earlier build and on today's build; the command prints both columns.

A test must be red on the earlier build because it saw the defect: an assertion failed, or an expected event did not
happen. A test that merely broke there (a name or an option that the earlier build does not have) proves nothing.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests.acceptance.earlier_build import make_earlier_build
from tests.acceptance.earlier_build.build import ROOT
from tests.acceptance.figure import Figure

TESTS = "tests/unshakable"
PATIENCE = 5_400
SAW_THE_DEFECT = ("AssertionError", "assert ", "Failed", "TimeoutError")
SHOWN = 150


@dataclass(frozen=True)
class Result:
    name: str
    """The description of the defect, from its marker."""
    inside: bool
    outcome: str
    """green, red, broken, or skipped."""
    reason: str = ""
    """Why it is not green."""


def figures() -> Iterator[Figure]:
    earlier = make_earlier_build()
    before = _run(earlier.python, earlier.sources)
    today = _run(Path(sys.executable), ROOT)
    if not today:
        yield Figure("defects", False, "no test ran")
    for test, result in today.items():
        was = before.get(test, Result(result.name, result.inside, "not run"))
        where = " (inside)" if result.inside else ""
        is_met = (was.outcome, result.outcome) == ("red", "green")
        yield Figure(result.name + where, is_met, f"{was.outcome} → {result.outcome}", "red → green")
        print(f"       the earlier build: {was.reason[:SHOWN]}", flush=True)
        if result.reason:
            print(f"       today: {result.reason[:SHOWN]}", flush=True)


def _run(python: Path, repository: Path) -> dict[str, Result]:
    with tempfile.TemporaryDirectory(prefix="hondius-defects-") as scratch:
        report = Path(scratch) / "report.xml"
        command = [
            *(str(python), "-m", "pytest", "-q", "--long", "-p", "no:cacheprovider"),
            *(f"--basetemp={scratch}/tests", f"--junit-xml={report}", TESTS),
        ]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "HONDIUS_REPOSITORY": str(repository)}
        try:
            subprocess.run(command, cwd=ROOT, env=environment, check=False, stdout=subprocess.DEVNULL, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            print(f"       {python} did not come to the end of the tests within {PATIENCE} s", flush=True)
        return dict(_read(report)) if report.exists() else {}


def _read(report: Path) -> Iterator[tuple[str, Result]]:
    for case in ElementTree.parse(report).iter("testcase"):
        properties = {found.get("name"): found.get("value", "") for found in case.iter("property")}
        if "defect" not in properties:
            continue
        test = f"{case.get('classname')}::{case.get('name')}"
        _, bracket, parameter = str(case.get("name")).partition("[")
        name = properties["defect"] + (f" [{parameter}" if bracket else "")
        yield test, Result(name, properties["inside"] == "True", *_outcome(case))


def _outcome(case: ElementTree.Element) -> tuple[str, str]:
    for element in case:
        reason = " ".join(element.get("message", "").split())
        if element.tag == "failure":
            return "red" if reason.startswith(SAW_THE_DEFECT) else "broken", reason
        if element.tag == "error":
            return "broken", reason
        if element.tag == "skipped":
            return "skipped", reason
    return "green", ""
