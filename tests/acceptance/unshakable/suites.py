"""What held before still holds. Each command is run whole; its last line is shown."""

import subprocess
from collections.abc import Iterator

from tests.acceptance.base.build import ROOT
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


def figures() -> Iterator[Figure]:
    for command in COMMANDS:
        ended = subprocess.run(
            command, cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        lines = ended.stdout.strip().splitlines() or ["it printed nothing"]
        said = next((line for line in reversed(lines) if not line.startswith("make")), lines[-1])
        if ended.returncode != 0:
            said = " / ".join(lines[-6:])
        yield Figure(" ".join(command), ended.returncode == 0, said[-SHOWN:], "exit 0")
