"""Hondius as its users run it: the real command, in a process of its own."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

HONDIUS = (sys.executable, "-m", "hondius")
PATIENCE = 900.0


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it cost, by the system's account."""

    status: int
    output: str
    errors: str
    seconds: float
    cpu_seconds: float
    """With all its descendants."""
    peak_bytes: int

    @property
    def summary(self) -> dict[str, Any]:
        """What `--json` printed."""
        figures: dict[str, Any] = json.loads(self.output)
        return figures


def start(
    *arguments: object, output: IO[bytes], errors: IO[bytes], command: Sequence[str] = HONDIUS
) -> subprocess.Popen[bytes]:
    words = [*command, *map(str, arguments)]
    environment = {**os.environ, "PYTHONFAULTHANDLER": "1"}
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=environment)


def run(*arguments: object, patience: float = PATIENCE, command: Sequence[str] = HONDIUS) -> Ended:
    """`command` is another build's `hondius`."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        began = time.monotonic()
        process = start(*arguments, output=output, errors=errors, command=command)
        usage, peak_bytes = _wait(process, began + patience)
        return Ended(
            status=process.returncode,
            output=_text(output),
            errors=_text(errors),
            seconds=time.monotonic() - began,
            cpu_seconds=usage.ru_utime + usage.ru_stime,
            peak_bytes=peak_bytes,
        )


def run_well(*arguments: object, patience: float = PATIENCE) -> Ended:
    """For commands that must succeed."""
    ended = run(*arguments, patience=patience)
    if ended.status != 0:
        raise SystemExit(f"hondius {' '.join(map(str, arguments))}: exit status {ended.status}\n{ended.errors}")
    return ended


def export(directory: Path) -> bytes:
    """Every URL that has ended, a row each."""
    return run_well("export", directory, "--noindex").output.encode()


def list_audit_findings(directory: Path) -> list[str]:
    """What `audit` holds against a crawl; nothing where it was polite."""
    ended = run("audit", directory)
    return [] if ended.status == 0 else [f"exit status {ended.status}", *(ended.output + ended.errors).splitlines()]


def rows(exported: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in exported.splitlines()]


def _wait(process: subprocess.Popen[bytes], deadline: float) -> tuple[Any, int]:
    """The resources that the process used, and its peak memory in bytes.

    On Linux the peak is read while the process runs: `ru_maxrss` is never less than the memory of the process that
    started it.
    """
    peak = 0
    while True:
        peak = _read_peak(process.pid) or peak
        number, status, usage = os.wait4(process.pid, os.WNOHANG)
        if number:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage, peak or usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        if time.monotonic() > deadline:
            process.kill()
        time.sleep(0.005)


def _read_peak(process: int) -> int:
    """0 if the process has ended, or this system does not tell."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()
