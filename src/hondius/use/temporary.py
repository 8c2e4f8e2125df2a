"""Temporary names of output that is not complete: each writer has its own, and locks it.

The system frees the lock when the process ends, however it ends. So what a killed process left can be told from what
another process still writes, also if that runs in another container. What cannot be locked is never removed.
"""

import fcntl
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from hondius.files import create_file

_TOKEN_BYTES = 8
_LONGEST_NAME = 255
_TRIES = 100


def create_temporary_file(output: Path) -> tuple[Path, int]:
    """Beside the output. The descriptor holds the lock."""
    return _create(output, is_directory=False)


def create_temporary_directory(output: Path) -> tuple[Path, int]:
    """Beside the output. The lock is held until the descriptor is closed."""
    return _create(output, is_directory=True)


def _create(output: Path, *, is_directory: bool) -> tuple[Path, int]:
    _remove_stale(output)
    for _ in range(_TRIES):
        path = output.with_name(f"{_make_prefix(output)}{token_hex(_TOKEN_BYTES)}.new")
        if is_directory:
            path.mkdir()
            try:
                file = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
        else:
            file = create_file(path)
        if _lock_own(file) and path.exists():
            return path, file
        os.close(file)  # another process took it for stale before it was locked
    raise BlockingIOError(f"every temporary name beside {output} was removed at once")


def _lock_own(file: int) -> bool:
    """True also where the file system has no locks: there nobody removes the file."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _make_prefix(output: Path) -> str:
    """A name that is long, but not too long for the output, is cut."""
    name = output.name
    if len(os.fsencode(name)) <= _LONGEST_NAME:
        room = _LONGEST_NAME - len("...new") - 2 * _TOKEN_BYTES
        name = os.fsencode(name)[:room].decode(errors="ignore")
    return f".{name}."


def _remove_stale(output: Path) -> None:
    form = re.compile(rf"{re.escape(_make_prefix(output))}[0-9a-f]{{{2 * _TOKEN_BYTES}}}\.new")
    with suppress(OSError), os.scandir(output.parent) as entries:
        for entry in entries:
            if form.fullmatch(entry.name) and not entry.is_symlink():
                with suppress(OSError):
                    _remove_if_stale(Path(entry.path))


def _remove_if_stale(path: Path) -> None:
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
    finally:
        os.close(file)
