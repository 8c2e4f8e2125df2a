"""The process that starts a crawler and says what its process tree used: `… .meter SECONDS FILE COMMAND…`.

It adopts what the crawler leaves behind (PR_SET_CHILD_SUBREAPER), so that a child that outlives its parent is charged
and ended too. CPU is the system's account of every process that was waited for; processes that nobody waits for are
missing there, so the sum of what was seen of each in /proc counts where it is larger. Linux only.

A process of its own, as getrusage has one account for all children, and the server is one too.
"""

import contextlib
import ctypes
import os
import resource
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
SAMPLED = 0.2
AFTERLIFE = 2.0
"""Seconds that remain to children after the crawler has ended, and to a crawler after it was told to."""
TICKS = os.sysconf("SC_CLK_TCK")


class Used(msgspec.Struct, frozen=True):
    began: float
    """Seconds since the epoch."""
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    processes: int
    """At most, at a time."""
    status: int
    in_time: bool


@dataclass
class Watch:
    """What is seen of the tree from time to time. Resident memory of a tree counts shared pages once (PSS)."""

    peak_bytes: int = 0
    processes: int = 0
    ticks: dict[int, int] = field(default_factory=dict)

    def look(self) -> list[int]:
        tree = descendants(os.getpid())
        resident = 0
        for process in tree:
            with contextlib.suppress(OSError, KeyError, IndexError):
                self.ticks[process] = max(self.ticks.get(process, 0), _ticks(process))
                self.peak_bytes = max(self.peak_bytes, _kilobytes(process, "status", "VmHWM:") * 1024)
                if len(tree) > 1:
                    resident += _kilobytes(process, "smaps_rollup", "Pss:") * 1024
        self.peak_bytes = max(self.peak_bytes, resident)
        self.processes = max(self.processes, len(tree))
        return tree


def measure_command(command: list[str], patience: float) -> Used:
    """Runs it to its end, or to the end of our patience. Nothing of it is left, however this ends."""
    _control(PR_SET_CHILD_SUBREAPER, 1)
    watch = Watch()
    began, started = time.time(), time.monotonic()
    crawler: subprocess.Popen[bytes] | None = None
    status = 0
    try:
        crawler = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        in_time = _watch(crawler, watch, started + patience)
        if not in_time:
            crawler.terminate()
            _watch(crawler, watch, time.monotonic() + AFTERLIFE)
    finally:
        if crawler is not None:  # else a signal came while it was being started: then it is one of those left
            crawler.kill()
            status = crawler.wait()
        seconds = time.monotonic() - started
        _bury(watch)
    account = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Used(
        began=began,
        seconds=seconds,
        cpu_seconds=max(account.ru_utime + account.ru_stime, sum(watch.ticks.values()) / TICKS),
        peak_bytes=max(watch.peak_bytes, _highest(account)),
        processes=watch.processes,
        status=status,
        in_time=in_time,
    )


def _control(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def _highest(account: resource.struct_rusage) -> int:
    """Of one process, between two looks. The account of a child begins with our own memory: that is not the child's."""
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return account.ru_maxrss * 1024 if account.ru_maxrss > ours else 0


def _watch(crawler: subprocess.Popen[bytes], watch: Watch, deadline: float) -> bool:
    """Whether it ended before the deadline. It is not waited for: what it used could no longer be seen."""
    descriptor = os.pidfd_open(crawler.pid)
    try:
        while time.monotonic() < deadline:
            watch.look()
            if select.select([descriptor], [], [], SAMPLED)[0]:
                return True
        return False
    finally:
        os.close(descriptor)


def _bury(watch: Watch) -> None:
    """Everything that is left of the tree has come to us by now, and is waited for."""
    deadline = time.monotonic() + AFTERLIFE
    while True:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        left = watch.look()
        if not left:
            return
        if time.monotonic() > deadline:
            for process in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        time.sleep(0.02)


def busy_seconds() -> float:
    """CPU of the whole machine so far, without what it idled or waited."""
    user, nice, system, _idle, _waiting, *interrupts = Path("/proc/stat").read_text().split(None, 9)[1:9]
    return sum(map(int, [user, nice, system, *interrupts])) / TICKS


def seconds_of(processes: list[int]) -> float:
    return sum(map(_ticks, processes)) / TICKS


def descendants(ancestor: int) -> list[int]:
    parents: dict[int, int] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                parents[int(entry.name)] = int(_stat(int(entry.name))[1])
    found: list[int] = []
    generation = {ancestor}
    while generation:
        generation = {process for process, parent in parents.items() if parent in generation}
        found += generation
    return found


def _ticks(process: int) -> int:
    """Of all its threads, those that ended too."""
    fields = _stat(process)
    return int(fields[11]) + int(fields[12])


def _stat(process: int) -> list[str]:
    """From the third field on: the second is a name that may contain anything."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def _kilobytes(process: int, file: str, name: str) -> int:
    """0 of a process that has ended and was not waited for."""
    for line in Path(f"/proc/{process}/{file}").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    return 0


def main() -> int:
    """Ends with who started it, and the crawler with it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    _control(PR_SET_PDEATHSIG, signal.SIGTERM)
    patience, file, *command = sys.argv[1:]
    Path(file).write_bytes(msgspec.json.encode(measure_command(command, float(patience))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
