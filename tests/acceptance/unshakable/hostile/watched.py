"""`python -m tests.acceptance.unshakable.hostile.watched REPORT ARGUMENTS…`: the command, its event loop watched.

Measured: the thread's CPU in each callback of the loop, how late a beat every 10 ms comes, and the memory that is
resident without mapped spill files. The report is a JSON object.
"""

import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

from hondius.use.bench.loop_watch import LoopWatch

SAMPLE = 0.5


class MemoryWatch(threading.Thread):
    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak = 0

    def run(self) -> None:
        while True:
            self.peak = max(self.peak, resident_without_spill())
            time.sleep(SAMPLE)


def resident_without_spill() -> int:
    """Bytes. Spill files are mapped from the crawl's directory; the system may drop their pages at any time."""
    total, in_spill = 0, False
    for line in Path("/proc/self/smaps").read_text(errors="replace").splitlines():
        name, _, rest = line.partition(" ")
        if not name.endswith(":"):
            in_spill = "spill" in rest or "(deleted)" in rest
        elif name == "Rss:" and not in_spill:
            total += int(rest.split()[0]) * 1024
    return total


def main() -> None:
    report, arguments = Path(sys.argv[1]), sys.argv[2:]
    loop, memory = LoopWatch(), MemoryWatch()
    memory.start()
    sys.argv = ["hondius", *arguments]
    from hondius.gc_tuning import collect_rarely
    from hondius.operate.cli.main import main as hondius

    collect_rarely()  # as `python -m hondius` does
    status: Any = 1
    try:
        with loop.install():
            status = hondius()
    finally:
        figures = {
            "status": status,
            "longest_callback_seconds": loop.longest,
            "longest_callback": loop.longest_callback,
            "beats": loop.beats,
            "late_beats": loop.late_beats,
            "latest_beat_seconds": loop.latest,
            "peak_bytes": memory.peak,
        }
        report.write_text(json.dumps(figures))
    sys.exit(status)


if __name__ == "__main__":
    main()
