"""Where a file that was asked for goes: standard output, or a file that is whole or not there.

A place that cannot be written is wrong use (exit status 2), whoever asks; a disk that fails or fills up is not.
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
from hondius.files import create_file

_THE_PLACE = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.ELOOP}
)
COMPRESSION = 6
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})


def write_lines(lines: Iterable[bytes], output: Path | None) -> int:
    """Returns how many there were."""
    count = 0
    try:
        with _opened(output) as file, _compressed(file, output) as into:
            for line in lines:
                into.write(line)
                count += 1
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _told(error, output) from error
    return count


def _compressed(file: BinaryIO, output: Path | None) -> AbstractContextManager[BinaryIO]:
    """A file that is named so is gzipped, without the time: the same rows give the same file."""
    if output is None or output.suffix != ".gz":
        return nullcontext(file)
    return cast("BinaryIO", gzip.GzipFile("", "wb", COMPRESSION, file, mtime=0))


def refuse_inside(directory: Path, output: Path | None) -> None:
    """A file of a crawl must never be written over by what is made of it."""
    if output is not None and output.resolve().is_relative_to(directory.resolve()):
        raise WrongUse(f"{output} lies in the crawl's own directory: choose a file outside of {directory}")


def refuse_unwritable(output: Path) -> None:
    """Before hours of work are put into what could not be written."""
    try:
        if output.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        target = output.resolve()
        place = target if _is_special(target) else target.parent
        os.stat(place)
        if not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise _told(error, output) from error


def _told(error: OSError, output: Path | None) -> HondiusError:
    kind = WrongUse if error.errno in _THE_PLACE else DiskFull if error.errno in _NO_ROOM else HondiusError
    return kind(f"{output or 'standard output'} cannot be written ({error.strerror}): choose another file")


def _opened(output: Path | None) -> AbstractContextManager[BinaryIO]:
    if output is None:
        return _standard_output()
    target = output.resolve()
    return open(target, "wb") if _is_special(target) else _new_file(target)


def _is_special(target: Path) -> bool:
    """A pipe or a device: there is nothing to replace."""
    return target.exists() and not target.is_file()


@contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


@contextmanager
def _new_file(output: Path) -> Iterator[BinaryIO]:
    """Under another name until it is whole and durable."""
    temporary = output.with_name(f".{output.name}.new")
    try:
        with os.fdopen(create_file(temporary), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(output)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
