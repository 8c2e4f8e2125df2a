"""Reads the attempt records of all runs, in order of time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter

from hondius.errors import BadDirectory
from hondius.native import Attempt, read_attempts
from hondius.ports import Disk

DIRECTORY = "log"
PREFIX = "attempts-"
NUMBER = re.compile("[0-9]{8}")
RECORD = 64
STEP = 32_768
"""Records read at a time."""
MAX_DAMAGED = 1_000
"""Damaged records after which the rest of a file is not read: each costs a separate read."""
DISORDER = 8_192
"""Positions by which a record may be out of order: several threads append to one file."""

Timed = tuple[float, int, Attempt]
"""(time, number of the run, record)"""


@dataclass(frozen=True, slots=True)
class RunFile:
    number: int
    path: str
    length: int
    """Bytes of complete records when the audit began; a running crawl may have written more since."""


class Records:
    """Iterates over all readable records. `damaged` lists the places of the others found so far."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self.files = [_describe_file(disk, name) for name in disk.list(DIRECTORY) if name.startswith(PREFIX)]
        self.damaged: list[str] = []
        self.count = 0
        for before, after in pairwise([0, *sorted(file.number for file in self.files)]):
            self.damaged += _describe_missing(before + 1, after - 1)

    def list_damage(self, runs: int) -> list[str]:
        """Everything missing or damaged; call it after reading all records. Each run in the log has a file, which is
        created before the run is logged."""
        missing = runs - len(self.files)
        if missing <= 0 or any(place.endswith("is missing") for place in self.damaged):
            return self.damaged
        files = "a file is" if missing == 1 else f"{missing:,} files are"
        return [f"{files} missing: {DIRECTORY}/{PREFIX}* are {len(self.files):,} for {runs:,} runs", *self.damaged]

    def __iter__(self) -> Iterator[Timed]:
        """Runs do not overlap: only one process at a time runs the crawl."""
        for file in self.files:
            waiting: list[Timed] = []
            for step in self._read_steps(file):
                waiting += step
                waiting.sort(key=itemgetter(0))
                ready = max(0, len(waiting) - DISORDER)
                yield from waiting[:ready]
                del waiting[:ready]
            yield from waiting

    def _read_steps(self, file: RunFile) -> Iterator[list[Timed]]:
        offset = damaged = 0
        while offset < file.length:
            data = self._disk.read(file.path, offset, min(STEP * RECORD, file.length - offset))
            attempts, length = read_attempts(data)
            self.count += len(attempts)
            yield [(attempt.at, file.number, attempt) for attempt in attempts]
            if length < len(data):
                damaged += 1
                more = " and all after it" if damaged > MAX_DAMAGED else ""
                self.damaged.append(f"{file.path}, record {(offset + length) // RECORD + 1:,}{more}")
                if more:
                    return
                length += RECORD
            offset += length


def _describe_missing(first: int, last: int) -> Iterator[str]:
    """One line for all of them: a forged file number may have millions before it."""
    if first == last:
        yield f"{DIRECTORY}/{PREFIX}{first:08} is missing"
    elif first < last:
        yield f"{DIRECTORY}/{PREFIX}{first:08} to {last:08}: each is missing"


def _describe_file(disk: Disk, name: str) -> RunFile:
    digits = name.removeprefix(PREFIX)
    if not NUMBER.fullmatch(digits):
        raise BadDirectory(f"{DIRECTORY}/{name} is not a file of attempt records: move it elsewhere")
    path = f"{DIRECTORY}/{name}"
    size = disk.size(path)
    return RunFile(int(digits), path, size - size % RECORD)
