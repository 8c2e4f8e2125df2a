"""CPU time of the threads of this process, and of the whole machine."""

import os
import threading
from contextlib import suppress
from pathlib import Path

TASKS = Path("/proc/self/task")
MACHINE = Path("/proc/stat")
LOOP, COMMIT, ENGINE, STORE, OTHER = "event loop", "commit", "fetch threads", "store threads", "other threads"
_NAMES = (
    ("hondius-engine", ENGINE),
    ("hondius-flush", STORE),
    ("hondius-merge", STORE),
    ("hondius-bloom", STORE),
    ("hondius-ahead", STORE),
    ("hondius-bell", ENGINE),
)


def measure_threads() -> dict[str, float]:
    """Empty on systems other than Linux."""
    named = {thread.native_id: thread.name for thread in threading.enumerate()}
    spent: dict[str, float] = {}
    for task in TASKS.iterdir() if TASKS.exists() else ():
        with suppress(OSError):  # the thread has just ended
            group = _classify_thread(named.get(int(task.name), ""), (task / "comm").read_text())
            spent[group] = spent.get(group, 0.0) + int((task / "schedstat").read_text().split()[0]) / 1e9
    return spent


def measure_busy_seconds() -> float:
    """Busy time of all cores, for any process; 0 on systems other than Linux."""
    with suppress(OSError, ValueError):
        user, nice, system, _idle, _disk, *others = map(int, MACHINE.read_text().split("\n", 1)[0].split()[1:8])
        return (user + nice + system + sum(others)) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _classify_thread(name: str, command: str) -> str:
    if name == "MainThread":
        return LOOP
    if name.startswith("hondius-commit"):
        return COMMIT
    return next((group for start, group in _NAMES if command.startswith(start)), OTHER)
