"""Disk, in memory, that fails like a real one: for the simulation and the crash tests.

- The process may die between any two operations, or within an append (`crash_at`).
- The machine may lose power (`lose_power`) and with it unsynced data, in any order of files and of pages in a file.
- The disk may be full (`room`), and an append or a sync may fail (`fails`).

File names are durable at once, as on the embedded disk, which syncs the directory before it returns.
"""

import random
from collections.abc import Callable, Iterable

from hondius.errors import DiskFull, HondiusError

PAGE = 512


class Crash(BaseException):
    """The process ends here. Not an Exception, so that nothing handles it as an error."""


class File:
    """`synced` bytes of `data` are durable. `before` is the content before an unsynced truncation, or None: a power cut
    may bring it back."""

    __slots__ = ("before", "data", "synced")

    def __init__(self, data: bytes = b"") -> None:
        self.data = bytearray(data)
        self.synced = len(data)
        self.before: bytes | None = None


class SimulatedDisk:
    place = "in memory"

    def __init__(self, *, room: int = 1 << 62) -> None:
        self.room = room
        self.crash_at: int | None = None
        """The number of the write operation at which the process dies; None: never."""
        self.operations = 0
        self.fails: Callable[[str, str], bool] = lambda operation, path: False
        """Called before each `append` and `sync`: whether it fails."""
        self.crashed: Callable[[], None] = lambda: None
        """Called when the process ends within an operation."""
        self._files: dict[str, File] = {}
        self._dead = False
        self._used = 0

    def exists(self, path: str) -> bool:
        return path in self._files

    def size(self, path: str) -> int:
        return len(self._file(path).data)

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        return bytes(self._file(path).data[offset : None if length is None else offset + length])

    def append(self, path: str, data: bytes) -> None:
        if crashes := self._crashes():
            data = data[: len(data) // 2]
        else:
            self._need_room(path, len(data))
            self._refuse("append", path)
        self._files.setdefault(path, File()).data.extend(data)
        self._used += len(data)
        self._end(crashes)

    def replace(self, path: str, data: bytes | Iterable[bytes], *, is_shared: bool = False) -> None:
        data = data if isinstance(data, bytes) else b"".join(data)
        if not (crashes := self._crashes()):
            self._need_room(path, len(data))
            self._forget(path)
            self._files[path] = File(data)
            self._used += len(data)
        self._end(crashes)

    def copy(self, path: str, target: str) -> None:
        self.replace(target, self.read(path))

    def sync(self, path: str) -> None:
        if not (crashes := self._crashes()):
            self._refuse("sync", path)
            file = self._file(path)
            file.synced, file.before = len(file.data), None
        self._end(crashes)

    def truncate(self, path: str, length: int) -> None:
        if not (crashes := self._crashes()):
            file = self._file(path)
            self._used += length - len(file.data)
            if length < file.synced:
                file.before = file.before or bytes(file.data[: file.synced])
                file.synced = length
            file.data[length:] = bytes(max(0, length - len(file.data)))
        self._end(crashes)

    def remove(self, path: str) -> None:
        if not (crashes := self._crashes()):
            self._forget(path)
        self._end(crashes)

    def list(self, directory: str) -> list[str]:
        names = (path.removeprefix(f"{directory}/") for path in self._files if path.startswith(f"{directory}/"))
        return sorted(name for name in names if "/" not in name)

    def free_bytes(self) -> int:
        return self.room - self._used

    def close(self) -> None:
        pass

    def restart(self) -> None:
        """Simulates a new process: everything that was written is still there."""
        self.crash_at, self.operations, self._dead = None, 0, False

    def restarted(self) -> "SimulatedDisk":
        """Returns the disk for the next process. Leftovers of this process can no longer write to it."""
        following = SimulatedDisk(room=self.room)
        following._files, following._used = self._files, self._used
        self._dead = True
        return following

    def lose_power(self, chance: random.Random) -> None:
        """Keeps a random part of unsynced data: up to some page, with zeros in some of the pages before it."""
        for file in self._files.values():
            if file.before is not None:
                file.data = bytearray(file.before)  # a truncation that never reached the disk
            elif len(file.data) > file.synced:
                del file.data[chance.randint(file.synced, len(file.data)) :]
                for start in range(file.synced, len(file.data), PAGE):
                    if chance.random() < 0.4:
                        end = min(start + PAGE, len(file.data))
                        file.data[start:end] = bytes(end - start)
            file.synced, file.before = len(file.data), None
        self._used = sum(len(file.data) for file in self._files.values())
        self.restart()

    def crash(self) -> None:
        """Ends the process within the current operation: `fails` may call it."""
        self._end(True)

    def damage(self, path: str, offset: int) -> None:
        self._file(path).data[offset] ^= 0xFF

    def _file(self, path: str) -> File:
        if path not in self._files:
            raise HondiusError(f"{path}: No such file or directory") from FileNotFoundError(path)
        return self._files[path]

    def _forget(self, path: str) -> None:
        if (file := self._files.pop(path, None)) is not None:
            self._used -= len(file.data)

    def _need_room(self, path: str, needed: int) -> None:
        if self._used + needed > self.room:
            raise DiskFull(f"no room left: {path} needs {needed:,} bytes; make room")

    def _refuse(self, operation: str, path: str) -> None:
        if self.fails(operation, path):
            raise HondiusError(f"{path}: Input/output error")

    def _crashes(self) -> bool:
        self.operations += 1
        if self._dead or (self.crash_at is not None and self.operations > self.crash_at):
            raise Crash
        return self.operations == self.crash_at

    def _end(self, crashes: bool) -> None:
        if crashes:
            self._dead = True
            self.crashed()
            raise Crash
