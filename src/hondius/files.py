"""Opens the files of a crawl directory, which may come from a stranger.

Symbolic links are never followed, and only regular files are opened. Otherwise a directory from a stranger could make
Hondius write to any file of its user, or wait forever at a pipe. The same holds for directories inside: a link in place
of `warc/` could lead to the archive of another crawl. The crawl directory itself may be a link, because the user named
it. `native/src/files.rs` does the same for the files that the native library opens.
"""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

CRAWL_LOG = "crawl.log"
"""Messages of the runs, for people; older files are `crawl.log.1` and so on."""
_LINK = frozenset({errno.ELOOP, errno.EMLINK})
"""Errors that systems return for O_NOFOLLOW."""


def open_file(path: Path, flags: int, mode: int = 0o644) -> int:
    """Returns a descriptor. Raises OSError, also if it is not a regular file. Without O_NONBLOCK, opening a pipe would
    wait for its other end; regular files ignore the flag."""
    try:
        file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
    except OSError as error:
        if error.errno in _LINK:
            raise _make_refusal(path, "it is a symbolic link, and no link inside a crawl is followed") from None
        if error.errno == errno.ENXIO:
            raise _make_refusal(path, "it is not a regular file") from None
        raise
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise _make_refusal(path, "it is not a regular file")
    return file


def create_file(path: Path, mode: int = 0o644) -> int:
    """Creates a new file for writing. An existing file of that name is removed, not written to."""
    with suppress(FileNotFoundError):
        path.unlink()
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)


def read_file(path: Path, most: int) -> bytes:
    """Reads at most `most` bytes."""
    with os.fdopen(open_file(path, os.O_RDONLY), "rb") as file:
        return file.read(most)


def is_regular(path: Path) -> bool:
    """False also for a link to a regular file."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def refuse_linked_directory(directory: Path) -> None:
    """Raises OSError if a directory inside a crawl is a symbolic link. It may be missing."""
    if directory.is_symlink():
        raise _make_refusal(
            directory, "it is a symbolic link, and no link inside a crawl is followed: mount the other disk there"
        )


def _make_refusal(path: Path, reason: str) -> OSError:
    return OSError(errno.EINVAL, reason, str(path))
