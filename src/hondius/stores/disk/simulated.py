"""Disk, in memory, that fails as real ones do: for the simulation and the crash tests.

The process may die between any two operations, or within an append (`crash_at`); the machine may lose
power (`lose_power`), and with it what was not synced; room may run out (`room`). Names are as durable as
the embedded disk makes them, which syncs the directory before it returns.
"""

import random

from hondius.errors import DiskFull, HondiusError


class Crash(BaseException):
    """The process ends here; nothing may catch it as an error."""


class SimulatedDisk:
    def __init__(self, *, room: int = 1 << 62) -> None:
        self.room = room
        self.crash_at: int | None = None
        """The number of the writing operation that does not end; None: never."""
        self.operations = 0
        self._files: dict[str, bytes] = {}
        self._synced: dict[str, bytes] = {}

    def exists(self, path: str) -> bool:
        return path in self._files

    def size(self, path: str) -> int:
        return len(self._file(path))

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        return self._file(path)[offset : None if length is None else offset + length]

    def append(self, path: str, data: bytes) -> None:
        crashes = self._crashes()
        before = self._files.get(path, b"")
        if sum(map(len, self._files.values())) + len(data) > self.room and not crashes:
            raise DiskFull(f"no room left: {path} needs {len(data):,} bytes; free some, the crawl goes on by itself")
        self._synced.setdefault(path, b"")
        self._files[path] = before + (data[: len(data) // 2] if crashes else data)
        self._end(crashes)

    def replace(self, path: str, data: bytes) -> None:
        if not (crashes := self._crashes()):
            if sum(map(len, self._files.values())) + len(data) > self.room:
                raise DiskFull(
                    f"no room left: {path} needs {len(data):,} bytes; free some, the crawl goes on by itself"
                )
            self._files[path] = self._synced[path] = data
        self._end(crashes)

    def sync(self, path: str) -> None:
        if not (crashes := self._crashes()):
            self._synced[path] = self._file(path)
        self._end(crashes)

    def truncate(self, path: str, length: int) -> None:
        if not (crashes := self._crashes()):
            self._files[path] = self._file(path)[:length].ljust(length, b"\0")
        self._end(crashes)

    def remove(self, path: str) -> None:
        if not (crashes := self._crashes()):
            self._files.pop(path, None)
            self._synced.pop(path, None)
        self._end(crashes)

    def list(self, directory: str) -> list[str]:
        names = (path.removeprefix(f"{directory}/") for path in self._files if path.startswith(f"{directory}/"))
        return sorted(name for name in names if "/" not in name)

    def free_bytes(self) -> int:
        return self.room - sum(map(len, self._files.values()))

    def close(self) -> None:
        pass

    def restart(self) -> None:
        """The process is started again: all that was written is there."""
        self.crash_at, self.operations = None, 0

    def lose_power(self, chance: random.Random) -> None:
        """Of what was not synced a part is there, and some of that as zeros."""
        for path, data in self._files.items():
            synced = self._synced.get(path, b"")
            if data == synced:
                continue
            if not data.startswith(synced):
                self._files[path] = synced  # a truncation that never reached the disk
                continue
            unsynced = data[len(synced) : chance.randint(len(synced), len(data))]
            self._files[path] = synced + (bytes(len(unsynced)) if chance.random() < 0.5 else unsynced)
        self._synced = dict(self._files)
        self.restart()

    def damage(self, path: str, offset: int) -> None:
        data = bytearray(self._file(path))
        data[offset] ^= 0xFF
        self._files[path] = self._synced[path] = bytes(data)

    def _file(self, path: str) -> bytes:
        if path not in self._files:
            raise HondiusError(f"{path}: No such file or directory") from FileNotFoundError(path)
        return self._files[path]

    def _crashes(self) -> bool:
        self.operations += 1
        if self.crash_at is not None and self.operations > self.crash_at:
            raise Crash
        return self.operations == self.crash_at

    def _end(self, crashes: bool) -> None:
        if crashes:
            raise Crash
