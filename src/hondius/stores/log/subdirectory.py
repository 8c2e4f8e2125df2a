"""Disk, as a subdirectory of another disk. It has the files of one partition of a log."""

from collections.abc import Iterable

from hondius.ports import Disk


class SubdirectoryDisk:
    def __init__(self, disk: Disk, directory: str) -> None:
        self._disk = disk
        self._directory = directory

    @property
    def place(self) -> str:
        return self._disk.place

    def exists(self, path: str) -> bool:
        return self._disk.exists(self._below(path))

    def size(self, path: str) -> int:
        return self._disk.size(self._below(path))

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        return self._disk.read(self._below(path), offset, length)

    def append(self, path: str, data: bytes) -> None:
        self._disk.append(self._below(path), data)

    def replace(self, path: str, data: bytes | Iterable[bytes], *, is_shared: bool = False) -> None:
        self._disk.replace(self._below(path), data, is_shared=is_shared)

    def copy(self, path: str, target: str) -> None:
        self._disk.copy(self._below(path), self._below(target))

    def sync(self, path: str) -> None:
        self._disk.sync(self._below(path))

    def truncate(self, path: str, length: int) -> None:
        self._disk.truncate(self._below(path), length)

    def remove(self, path: str) -> None:
        self._disk.remove(self._below(path))

    def list(self, directory: str) -> list[str]:
        return self._disk.list(self._below(directory))

    def free_bytes(self) -> int:
        return self._disk.free_bytes()

    def close(self) -> None:
        """Does nothing: the other disk closes its files."""

    def _below(self, path: str) -> str:
        return f"{self._directory}/{path}"
