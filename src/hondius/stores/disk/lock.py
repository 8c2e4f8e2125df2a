"""The lock of a crawl directory: one writer at a time."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from hondius.errors import BadDirectory, DirectoryInUse, DiskFull
from hondius.files import open_file


class DirectoryLock:
    """Held from construction to `close`, or until the process ends in any way.

    The file is never removed: otherwise two processes could lock two files of the same name. If the directory is not
    writable (`is_writable`), a reader takes a shared lock, or none if there is no lock file.
    """

    def __init__(self, root: Path, *, shared: bool = False) -> None:
        self._file = _open_existing(root) if shared else _open_or_create(root)
        if self._file < 0:
            return
        try:
            fcntl.flock(self._file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(self._file, 32, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(self._file)
            raise DirectoryInUse(f"{root} is in use by process {owner}; stop it or choose another directory") from None
        except OSError as error:
            os.close(self._file)
            raise BadDirectory(
                f"{root} cannot be locked ({error.strerror}); choose a directory on a local disk"
            ) from error
        if shared:
            return
        with suppress(OSError):  # on a full disk the holder cannot be recorded
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> "DirectoryLock":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextmanager
def hold_file(path: Path, name: str) -> Iterator[None]:
    """Keeps other processes out until the end of the block, or until this process ends in any way. `name`: what it
    stands for. The file is never removed."""
    file = _open_or_create(path.parent, path.name)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(file, 32, 0).decode("ascii", "replace").strip()
            if owner != str(os.getpid()):
                raise DirectoryInUse(f"{name} is in use by process {owner or 'unknown'}; stop it first") from None
        else:
            with suppress(OSError):
                os.ftruncate(file, 0)
                os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(file)


def find_holder(root: Path) -> int | None:
    """The process that has this directory open; None if nobody has."""
    try:
        file = open_file(root / "lock", os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        text = os.pread(file, 32, 0).decode("ascii", "replace").strip()
        return int(text) if text.isdigit() else 0
    finally:
        os.close(file)
    return None


def is_writable(root: Path) -> bool:
    """False if the medium is read-only, or the user may not write."""
    return os.access(root, os.W_OK)


def _open_existing(root: Path) -> int:
    try:
        return open_file(root / "lock", os.O_RDONLY)
    except OSError:
        return -1


def _open_or_create(root: Path, name: str = "lock") -> int:
    try:
        root.mkdir(parents=True, exist_ok=True)
        return open_file(root / name, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(f"no room left for {root}; make room") from error
        if error.errno == errno.EINVAL:
            raise BadDirectory(f"{root / name}: {error.strerror}; remove it") from error
        reason = f"{root} cannot be written ({error.strerror})"
        raise BadDirectory(f"{reason}; change its permissions or choose another directory") from error
