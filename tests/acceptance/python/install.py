"""The wheel, in a bare environment without a compiler: the first crawl by command and by Python; the examples run."""

import os
import subprocess
from collections.abc import Iterator

from tests.acceptance.earlier_build.build import ROOT
from tests.acceptance.figure import Figure
from tests.acceptance.unshakable.suites import OF_MAKE

SHOWN = 300


def figures() -> Iterator[Figure]:
    yield _run("the wheel in a bare environment", "make", "wheel")
    yield _run("every example of README and guide", "python", "-m", "pytest", "-q", "tests/test_examples.py")


def _run(name: str, *command: str) -> Figure:
    outside = {name: value for name, value in os.environ.items() if name not in OF_MAKE}
    ended = subprocess.run(
        command, cwd=ROOT, env=outside, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    lines = ended.stdout.strip().splitlines() or ["it printed nothing"]
    return Figure(name, ended.returncode == 0, lines[-1][-SHOWN:], "exit 0")
