"""Lock, of a crawl in memory: one writer in this process."""

import os
from types import TracebackType

from hondius.errors import DirectoryInUse


class Holders:
    """Who has a crawl open."""

    def __init__(self) -> None:
        self.writer = False
        self.readers = 0

    @property
    def process(self) -> int | None:
        return os.getpid() if self.writer else None


class MemoryLock:
    def __init__(self, name: str, holders: Holders, *, shared: bool = False) -> None:
        if holders.writer or (holders.readers and not shared):
            raise DirectoryInUse(f"{name} is in use by process {os.getpid()}; stop it or choose another directory")
        self._holders: Holders | None = holders
        self._shared = shared
        holders.writer = not shared
        holders.readers += shared

    def close(self) -> None:
        if self._holders is not None:
            self._holders.writer = False
            self._holders.readers -= self._shared
            self._holders = None

    def __enter__(self) -> "MemoryLock":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
