"""Where an export goes: standard output, or a file that is whole or not there."""

import errno
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from hondius.errors import DiskFull, HondiusError


def write_lines(lines: Iterable[bytes], output: Path | None) -> None:
    try:
        with _opened(output) as file:
            for line in lines:
                file.write(line)
    except BrokenPipeError:
        raise
    except OSError as error:
        kind = DiskFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else HondiusError
        where = output or "standard output"
        raise kind(f"{where} cannot be written ({error.strerror}); choose another place with -o") from error


def _opened(output: Path | None) -> AbstractContextManager[BinaryIO]:
    if output is None:
        return _standard_output()
    target = output.resolve()
    if target.exists() and not target.is_file():
        return open(target, "wb")  # a pipe or a device: there is nothing to replace
    return _new_file(target)


@contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


@contextmanager
def _new_file(output: Path) -> Iterator[BinaryIO]:
    """Under another name until it is whole and durable."""
    temporary = output.with_name(f".{output.name}.new")
    try:
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(output)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
