"""Writes to standard output, or to a file that appears only when it is complete.

A path that cannot be written is wrong use (exit status 2); a disk that fails or fills up is not.
"""

import errno
import gzip
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import BinaryIO, cast

from hondius.errors import DiskFull, HondiusError, WrongUse
from hondius.use.temporary import create_temporary_file

_PATH_ERRORS = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.ELOOP}
)
COMPRESSION = 6
_FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT})


def write_lines(lines: Iterable[bytes], output: Path | None) -> int:
    """Returns the number of lines."""
    count = 0
    try:
        with open_output(output) as file, compress(file, "" if output is None else output.name) as into:
            for line in lines:
                into.write(line)
                count += 1
    except BrokenPipeError:
        raise
    except OSError as error:
        raise translate_error(error, output) from error
    return count


def compress(file: BinaryIO, name: str) -> AbstractContextManager[BinaryIO]:
    """Compresses files whose name ends in .gz. The header has no time, so the same rows give the same file."""
    if not name.endswith(".gz"):
        return nullcontext(file)
    return cast("BinaryIO", gzip.GzipFile("", "wb", COMPRESSION, file, mtime=0))


def refuse_inside(directory: Path, output: Path | None) -> None:
    """Protects the files of a crawl from being overwritten by its own export."""
    if output is not None and output.resolve().is_relative_to(directory.resolve()):
        raise WrongUse(f"{output} lies in the crawl's own directory: choose a file outside of {directory}")


def refuse_unwritable(output: Path) -> None:
    """Checks the path first, before hours of work produce something that cannot be written."""
    try:
        if output.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        target = _find_target(output)
        place = target if _is_special(target) else target.parent
        os.stat(place)
        if not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise translate_error(error, output) from error


def refuse_unwritable_directory(output: Path) -> None:
    """Checks a directory that will be made, or replaced if it is empty."""
    try:
        if output.exists() and not output.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        parent = output.resolve().parent
        os.stat(parent)
        if not os.access(parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise translate_error(error, output) from error


def translate_error(error: OSError, output: Path | None) -> HondiusError:
    kind = WrongUse if error.errno in _PATH_ERRORS else DiskFull if error.errno in _FULL_ERRORS else HondiusError
    cure = "choose another file"
    if error.errno == errno.ENOENT and output is not None and not output.parent.exists():
        cure = f"create the directory {output.parent} first"
    return kind(f"{output or 'standard output'} cannot be written ({error.strerror}): {cure}")


def open_output(output: Path | None) -> AbstractContextManager[BinaryIO]:
    """None: standard output."""
    if output is None:
        return _use_standard_output()
    target = _find_target(output)
    return open(target, "wb") if _is_special(target) else _write_new_file(target)


def _find_target(output: Path) -> Path:
    """What a symbolic link leads to. A pipe has no path of its own, so `/dev/stdout` is opened as it is."""
    return output if _is_special(output) else output.resolve()


def _is_special(target: Path) -> bool:
    """True for a pipe or a device, which is written directly."""
    return target.exists() and not target.is_file()


@contextmanager
def _use_standard_output() -> Iterator[BinaryIO]:
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


@contextmanager
def _write_new_file(output: Path) -> Iterator[BinaryIO]:
    """Writes under a temporary name until the file is complete and durable."""
    temporary, descriptor = create_temporary_file(output)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            temporary.replace(output)  # before the lock ends
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
