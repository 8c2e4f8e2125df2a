"""Files of attempt records: one per run. The engine writes them when it sends."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from hondius.errors import BadDirectory
from hondius.native import Attempt, read_attempts
from hondius.ports import Disk

DIRECTORY = "log"
PREFIX = "attempts-"
NAME = re.compile(r"attempts-[0-9]{8}")
"""Files with other names are ignored: a directory from a stranger may contain any."""
LAST = 99_999_999
RECORD = 64
NEWEST = 65_536 * RECORD
"""Bytes read at a start: far more requests than can be sent between two commits."""


class AttemptFiles:
    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self.number = 0
        """The number of this run's file; 0 before `begin`."""
        self._files = [name for name in disk.list(DIRECTORY) if NAME.fullmatch(name)]

    @property
    def next_number(self) -> int:
        """The number of the file that `begin` would create."""
        return int(self._files[-1].removeprefix(PREFIX)) + 1 if self._files else 1

    def newest(self) -> Sequence[Attempt]:
        """The last records of the last run that sent anything."""
        return next(self._newest_first(), ())

    def last(self, seconds: float) -> list[Sequence[Attempt]]:
        """The last records of each run that sent a request at most `seconds` before the newest record, the oldest run
        first. The newest run is not enough: if it was killed early, neither a frame nor its own records show which
        requests of the previous run were unfinished. The seconds are counted from the newest record, not from now, as
        the clock may have been set forward since."""
        runs = self._newest_first()
        newest = next(runs, None)
        if newest is None:
            return []
        earliest = newest[-1].at - seconds
        return [newest, *takewhile(lambda run: run[-1].at >= earliest, runs)][::-1]

    def _newest_first(self) -> Iterator[Sequence[Attempt]]:
        for name in reversed(self._files):
            path = f"{DIRECTORY}/{name}"
            size = self._disk.size(path)
            whole = size - size % RECORD
            start = max(0, whole - NEWEST)
            attempts, _ = read_attempts(self._disk.read(path, start, whole - start))
            if attempts:
                yield attempts

    def begin(self) -> str:
        """Creates the file of this run."""
        self.number = self.next_number
        if self.number > LAST:
            raise BadDirectory(f"{DIRECTORY}/{self._files[-1]} has the last number that there is: move it elsewhere")
        path = f"{DIRECTORY}/{PREFIX}{self.number:08}"
        self._disk.replace(path, b"")
        return path
