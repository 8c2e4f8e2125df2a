"""Instructions of an operation, counted by valgrind: the same today and tomorrow, on a busy machine and an idle one."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks.kernels.build import ROOT
from benchmarks.kernels.catalogue import Kernel, Programs

VALGRIND = ("valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no", "--dump-line=no")
KEPT = ("PATH", "VIRTUAL_ENV", "HOME")
"""Of the environment. The rest would move the stack, and with it what depends on alignment."""


SHA256 = "sha2::sha256::"
HARDWARE_SAVES = 0.96
"""Of SHA-256. The processor that valgrind shows has no instructions for it, and 3,500 others do what real ones do
with about 140: counted as they are they would be half of reading a page, and hide what becomes of the rest."""


def is_there() -> bool:
    return shutil.which(VALGRIND[0]) is not None


def instructions(programs: Programs, kernel: Kernel, *options: str) -> float:
    """Of one operation. A run before them leaves both counted runs the same to start with (compiled Python)."""
    output(programs.command(kernel, 1, *options))
    few_operations, few = count_instructions(programs.command(kernel, kernel.laps, *options))
    many_operations, many = count_instructions(programs.command(kernel, 2 * kernel.laps, *options))
    return (many - few) / (many_operations - few_operations)


def microseconds(programs: Programs, kernel: Kernel) -> float:
    """Of one operation, in the best lap."""
    return float(output(programs.command(kernel, kernel.laps, "--time")).stdout)


def count_instructions(command: list[str]) -> tuple[int, float]:
    """(operations, instructions)"""
    with tempfile.TemporaryDirectory(prefix="hondius-callgrind-") as directory:
        profile = Path(directory) / "profile"
        operations = output([*VALGRIND, f"--callgrind-out-file={profile}", *command]).stdout
        return int(operations), read_count(profile.read_text())


def read_count(profile: str) -> float:
    """The instructions of every function, without those of the ones that it calls: these follow a `calls` line."""
    total, share, after_call = 0.0, 1.0, False
    for line in profile.splitlines():
        if line.startswith("fn="):
            share = 1 - HARDWARE_SAVES if SHA256 in line else 1.0
        elif line[:1].isdigit() and not after_call:
            total += share * int(line.split()[1])
        after_call = line.startswith("calls=")
    return total


def output(command: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment |= {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if result.returncode:
        raise ValueError(f"{' '.join(command)} ended with {result.returncode}: {result.stderr}")
    return result
