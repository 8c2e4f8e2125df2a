"""From milestone to milestone, each in a process of its own, with two starts after each: clean, and after `kill -9`."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.growth import report
from benchmarks.growth.bars import MILLION, Row, verdicts

MILESTONES = (1, 5, 20, 50, 100, 200)
"""Million URLs."""
MOST = MILESTONES[-1]


def main() -> int:
    arguments = parse_arguments()
    if arguments.directory is not None:
        arguments.directory.mkdir(parents=True, exist_ok=True)
    directory = Path(tempfile.mkdtemp(prefix="hondius-growth-", dir=arguments.directory))
    began = time.monotonic()
    try:
        rows = grown(directory, milestones(arguments.most, arguments.hosts), arguments.hosts)
    finally:
        shutil.rmtree(directory)
    judged = list(verdicts(rows))
    print("\n".join([*report.table(rows), *map(str, judged), f"{time.monotonic() - began:.0f} s in all"]))
    if arguments.record:
        report.record(rows, arguments.note)
    return 0 if all(verdict.holds for verdict in judged) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.growth", description="Does the frontier hold as it grows?"
    )
    parser.add_argument(
        "--most", type=int, default=50, choices=range(1, MOST + 1), metavar="MILLION", help="URLs to stop at (50)"
    )
    parser.add_argument("--hosts", type=int, default=MILLION, help="hosts they lie on (1,000,000)")
    parser.add_argument("--directory", type=Path, default=None, help="where to make the crawl, which is removed after")
    parser.add_argument("--note", default="", help="a sentence to record with the figures: the machine, the build")
    parser.add_argument("--record", action="store_true", help="write the figures into benchmarks/RESULTS.md")
    arguments = parser.parse_args()
    if not 0 < arguments.hosts <= arguments.most * MILLION:
        parser.error(f"{arguments.hosts:,} hosts need a URL each, of {arguments.most} million: choose fewer hosts")
    return arguments


def milestones(most: int, hosts: int) -> list[int]:
    """The last is `most`. Each has a URL of every host: what a start and a take cost depends on how many there are."""
    return [size for size in MILESTONES if size < most and size * MILLION >= hosts] + [most]


def grown(directory: Path, milestones: list[int], hosts: int) -> list[Row]:
    rows, reached = [], 0
    for size in milestones:
        print(f"to {size} million URLs", file=sys.stderr)
        row = measure_process("grow", directory, reached, size * MILLION, hosts)
        reached = size * MILLION
        row["disk_bytes"] = on_disk(directory)
        row["start"] = measure_start(directory, evicted=True)
        row["start_after_kill"] = measure_start(directory, evicted=False)
        rows.append(row)
        print(json.dumps(row), file=sys.stderr)
    return rows


def measure_process(process: str, *arguments: object) -> Row:
    command = [sys.executable, "-m", f"benchmarks.growth.{process}", *map(str, arguments)]
    result = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    row: Row = json.loads(result.stdout)
    return row


def measure_start(directory: Path, *, evicted: bool) -> dict[str, Any]:
    """Seconds from the launch of a process to the first URL that it could fetch; then it is killed."""
    if evicted:
        forget_pages(directory)
    command = [sys.executable, "-m", "benchmarks.growth.start", str(directory)]
    began = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        seconds = time.monotonic() - began
        process.kill()
    return {"seconds": seconds, **json.loads(line)}


def forget_pages(directory: Path) -> None:
    """As after a reboot: nothing of the crawl is left in the system's cache."""
    for path in files(directory):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def on_disk(directory: Path) -> int:
    return sum(path.stat().st_size for path in files(directory))


def files(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file()]


if __name__ == "__main__":
    sys.exit(main())
