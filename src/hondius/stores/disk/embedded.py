"""Disk, as a directory of the local file system."""

import errno
import fcntl
import os
import shutil
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from hondius.errors import BadDirectory, DiskFull, HondiusError
from hondius.files import create_file, is_regular, open_file, refuse_linked_directory

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
_NO_HARD_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
"""Errors of file systems that cannot link a file."""
_COPIED_AT_ONCE = 1 << 20
_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)
"""On macOS, fsync only reaches the cache of the drive; this reaches the medium."""


class EmbeddedDisk:
    """Keeps descriptors of recently appended files. Reads open their own, and may come from any thread."""

    def __init__(self, root: Path, *, open_files: int = 32) -> None:
        self._root = root
        self._limit = open_files
        self._writers: OrderedDict[str, int] = OrderedDict()
        self._unsynced: set[str] = set()
        self._lock = threading.RLock()

    @property
    def place(self) -> str:
        return str(self._root)

    def exists(self, path: str) -> bool:
        return is_regular(self._resolve(path))

    def size(self, path: str) -> int:
        with self._translate_errors(path):
            return os.lstat(self._resolve(path)).st_size

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        with self._translate_errors(path), os.fdopen(open_file(self._resolve(path), os.O_RDONLY), "rb") as file:
            file.seek(offset)
            rest = max(0, os.fstat(file.fileno()).st_size - offset)
            return file.read(rest if length is None else min(length, rest))

    def append(self, path: str, data: bytes) -> None:
        with self._lock, self._translate_errors(path, len(data)):
            file = self._open_writer(path)
            before = os.fstat(file).st_size
            self._unsynced.add(path)
            try:
                _write_all(file, data)
            except OSError:
                os.ftruncate(file, before)
                raise

    def replace(self, path: str, data: bytes | Iterable[bytes], *, is_shared: bool = False) -> None:
        """With `is_shared` the temporary file has a name of its own, and a killed process may leave it behind."""
        target = self._root / path
        temporary = target.with_name(f".{target.name}{f'.{token_hex(8)}' if is_shared else ''}.new")
        parts, needed = ([data], len(data)) if isinstance(data, bytes) else (data, 0)
        with self._lock, self._translate_errors(path, needed):
            self._resolve(path)
            self._forget(path)
            self._make_directory(target.parent)
            try:
                self._write_new(temporary, parts)
                os.replace(temporary, target)
            except BaseException:
                with suppress(OSError):
                    temporary.unlink()
                raise
            _sync_directory(target.parent)

    def copy(self, path: str, target: str) -> None:
        with self._lock, self._translate_errors(path):
            source, copied = self._resolve(path), self._resolve(target)
            self._forget(target)
            copied.unlink(missing_ok=True)
            try:
                os.link(source, copied, follow_symlinks=False)
            except OSError as error:
                if error.errno not in _NO_HARD_LINKS:
                    raise
                self._copy_bytes(path, target)
            _sync_directory(copied.parent)

    def sync(self, path: str) -> None:
        with self._lock, self._translate_errors(path):
            _sync(self._open_writer(path, create=False))
            self._unsynced.discard(path)

    def truncate(self, path: str, length: int) -> None:
        with self._lock, self._translate_errors(path):
            os.ftruncate(self._open_writer(path, create=False), length)
            self._unsynced.add(path)

    def remove(self, path: str) -> None:
        with self._lock, self._translate_errors(path):
            self._forget(path)
            target = self._resolve(path)
            target.unlink(missing_ok=True)
            _sync_directory(target.parent)

    def list(self, directory: str) -> list[str]:
        try:
            with self._translate_errors(directory), os.scandir(self._resolve_directory(directory)) as entries:
                return sorted(entry.name for entry in entries if _is_listed(entry))
        except HondiusError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return []
            raise

    def free_bytes(self) -> int:
        with self._translate_errors("."):
            return shutil.disk_usage(self._root).free

    def close(self) -> None:
        """Closes all descriptors, even if a sync fails: a reopened disk must not inherit the error."""
        with self._lock:
            try:
                for path in tuple(self._writers):
                    with self._translate_errors(path):
                        self._evict(path)
            finally:
                for path in tuple(self._writers):
                    self._forget(path)

    def _copy_bytes(self, path: str, target: str) -> None:
        offset = 0
        while chunk := self.read(path, offset, _COPIED_AT_ONCE):
            self.append(target, chunk)
            offset += len(chunk)
        self.sync(target)

    def _open_writer(self, path: str, *, create: bool = True) -> int:
        if path in self._writers:
            self._writers.move_to_end(path)
            return self._writers[path]
        target = self._resolve(path)
        if create:
            self._make_directory(target.parent)
        file = open_file(target, os.O_RDWR | os.O_APPEND | (os.O_CREAT if create else 0))
        self._writers[path] = file
        _sync_directory(target.parent)
        if len(self._writers) > self._limit:
            self._evict(next(iter(self._writers)))
        return file

    def _evict(self, path: str) -> None:
        """Syncs first: the system reports a write-back error only to descriptors that are open at that time."""
        if path in self._unsynced:
            _sync(self._writers[path])
        self._forget(path)

    def _forget(self, path: str) -> None:
        self._unsynced.discard(path)
        if (file := self._writers.pop(path, None)) is not None:
            os.close(file)

    def _make_directory(self, directory: Path) -> None:
        if directory.is_dir():
            return
        self._make_directory(directory.parent)
        directory.mkdir(exist_ok=True)
        _sync_directory(directory.parent)

    def _write_new(self, path: Path, parts: Iterable[bytes]) -> None:
        file = create_file(path)
        try:
            for part in parts:
                _write_all(file, part)
            _sync(file)
        finally:
            os.close(file)

    def _resolve(self, path: str) -> Path:
        """The path of a file. Names may come from the log or the catalog, and so from a stranger: none may lead out of
        the crawl directory."""
        directory, _, name = path.rpartition("/")
        if not _is_plain(name):
            raise BadDirectory(f"{path!r} is no file of a crawl; stop using this directory")
        return (self._resolve_directory(directory) if directory else self._root) / name

    def _resolve_directory(self, directory: str) -> Path:
        target = self._root
        for name in directory.split("/"):
            if not _is_plain(name):
                raise BadDirectory(f"{directory!r} is no directory of a crawl; stop using this directory")
            target /= name
            refuse_linked_directory(target)
        return target

    @contextmanager
    def _translate_errors(self, path: str, needed: int = 0) -> Iterator[None]:
        """Translates system errors into errors that tell the user what to do."""
        try:
            yield
        except OSError as error:
            target = self._root / path
            if error.errno in _NO_ROOM:
                room = f"{needed:,} bytes" if needed else "more room"
                raise DiskFull(f"no room left: {target} needs {room} on its disk or quota; make room") from error
            raise HondiusError(f"{target}: {error.strerror or error}") from error


def _is_plain(name: str) -> bool:
    return name not in ("", ".", "..") and "\0" not in name


def _is_listed(entry: os.DirEntry[str]) -> bool:
    return entry.is_file(follow_symlinks=False) and not entry.name.startswith(".")


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def _sync(file: int) -> None:
    if _FULL_SYNC is not None:
        fcntl.fcntl(file, _FULL_SYNC)
    elif hasattr(os, "fdatasync"):
        os.fdatasync(file)
    else:
        os.fsync(file)


def _sync_directory(directory: Path) -> None:
    file = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
