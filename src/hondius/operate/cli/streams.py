"""The standard streams, as a command may rely on them: there, and of no harm to it when nobody reads them (O1c).

Closed ones (`>&-`) are as `/dev/null`: their numbers must not go to a file that the crawl opens, either. What is said
on standard error is never worth a command's end, and what a crawl says at its end not the crawl's. Everything else is
written for whoever reads standard output, and ends when he is gone, as by SIGPIPE.
"""

import errno
import io
import os
import sys
from typing import Any, TextIO

READER_GONE = 128 + 13
"""The exit status of a command that SIGPIPE ended, as shells tell it."""
_GONE = frozenset({errno.EPIPE, errno.EIO})


def open_closed() -> None:
    """Standard input stays None where it was closed: whoever needs it says so."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def show_everything() -> None:
    """Names that are no text are shown all the same."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def outlive_readers(*, of_output: bool) -> None:
    """Of standard error always; of standard output where the command is there for something else."""
    sys.stderr = _unheard(sys.stderr, frozenset(errno.errorcode))
    if of_output:
        sys.stdout = _unheard(sys.stdout, _GONE)


def _unheard(stream: TextIO, forgiven: frozenset[int]) -> TextIO:
    raw = _Unheard(stream.fileno(), forgiven)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream is sys.stderr or raw.isatty(),
    )


class _Unheard(io.FileIO):
    """What cannot be written for a reason that is forgiven counts as written."""

    def __init__(self, number: int, forgiven: frozenset[int]) -> None:
        super().__init__(number, "w", closefd=False)
        self._forgiven = forgiven

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            if error.errno not in self._forgiven:
                raise
            return len(data)
