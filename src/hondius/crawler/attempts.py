"""Files of attempt records: one a run, written by the engine at the actual send."""

from collections.abc import Iterator, Sequence

from hondius.native import Attempt, read_attempts
from hondius.ports import Disk

DIRECTORY = "log"
PREFIX = "attempts-"
RECORD = 64
NEWEST = 65_536 * RECORD
"""Bytes read at a start: far more requests than can be sent between two commits."""


class AttemptFiles:
    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._files = [name for name in disk.list(DIRECTORY) if name.startswith(PREFIX)]

    def newest(self) -> Iterator[Sequence[Attempt]]:
        """The last records, run by run, the oldest of these runs first. More than one run: each may have been killed
        before it could commit what it sent."""
        runs, left = [], NEWEST
        for name in reversed(self._files):
            path = f"{DIRECTORY}/{name}"
            whole = self._disk.size(path) // RECORD * RECORD
            length = min(whole, left)
            if length:
                runs.append(read_attempts(self._disk.read(path, whole - length, length))[0])
            left -= length
        return reversed(runs)

    def begin(self) -> str:
        """The file of this run, made."""
        number = int(self._files[-1].removeprefix(PREFIX)) + 1 if self._files else 1
        path = f"{DIRECTORY}/{PREFIX}{number:08}"
        self._disk.replace(path, b"")
        return path
