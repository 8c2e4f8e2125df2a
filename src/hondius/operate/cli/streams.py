"""The standard streams, as a command may rely on them: there, and of no harm to it when nobody reads them (O1c).

Closed ones (`>&-`) are as `/dev/null`: their numbers must not go to a file that the crawl opens, either. What is said
on standard error is never worth a command's end, and what a crawl says at its end not the crawl's. Everything else is
written for whoever reads standard output, and ends when he is gone, as by SIGPIPE.

What is printed is made harmless on its way, so that a terminal obeys nothing that a stranger wrote.
"""

import errno
import io
import os
import sys
from typing import Any, TextIO

from hondius.operate.cli.harmless import harmless

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


def make_harmless() -> None:
    sys.stderr, sys.stdout = map(_harmless, (sys.stderr, sys.stdout))


def ours(*, of_errors: bool) -> TextIO:
    """The stream for those who write colours, and see to it themselves that text is harmless."""
    stream = sys.stderr if of_errors else sys.stdout
    return _Ours(stream) if isinstance(stream, _Harmless) else stream  # type: ignore[return-value]


def _unheard(stream: TextIO, forgiven: frozenset[int]) -> TextIO:
    raw = _Unheard(stream.fileno(), forgiven)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream is sys.stderr or raw.isatty(),
    )


def _harmless(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    encoding, errors, by_line, at_once = stream.encoding, stream.errors, stream.line_buffering, stream.write_through
    buffer = stream.detach()  # else the old one would close it when it is forgotten
    return _Harmless(buffer, encoding=encoding, errors=errors, line_buffering=by_line, write_through=at_once)


class _Harmless(io.TextIOWrapper):
    def write(self, text: str) -> int:
        return super().write(harmless(text))

    def write_ours(self, text: str) -> int:
        return super().write(text)


class _Ours:
    """A `_Harmless` stream for text that is Hondius's own."""

    def __init__(self, stream: _Harmless) -> None:
        self._stream = stream
        self.write = stream.write_ours

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


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
