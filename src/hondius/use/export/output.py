"""Where an export goes: standard output, or a file that is whole or not there."""

import errno
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from hondius.errors import DiskFull, HondiusError


def write_lines(lines: Iterable[bytes], output: Path | None) -> None:
    with _standard_output() if output is None else _new_file(output) as file:
        for line in lines:
            file.write(line)


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
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            kind = DiskFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else HondiusError
            raise kind(f"{output} cannot be written ({error.strerror}); choose another place with -o") from error
        raise
