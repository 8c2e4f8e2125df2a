"""Makes the standard streams reliable: open, and safe to write to when nobody reads them (O1c).

A closed stream (`>&-`) is replaced by `/dev/null`; otherwise a file of the crawl could get its number. Errors while
writing to standard error are always ignored. A closed standard output is ignored by commands that do work, such as
`crawl`; commands whose purpose is their output end as if by SIGPIPE.

Text is escaped as it is printed, so that a terminal interprets nothing that a stranger wrote.
"""

import errno
import io
import os
import sys
from typing import Any, TextIO

from hondius.sanitise import escape_controls

BROKEN_PIPE_STATUS = 128 + 13
"""The exit status that shells report for a command ended by SIGPIPE."""
_PIPE_ERRORS = frozenset({errno.EPIPE, errno.EIO})


def open_closed_streams() -> None:
    """`sys.stdin` stays None if it was closed: commands that need it report that."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def escape_undecodable_names() -> None:
    """File names that are not valid text are printed with escapes instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def ignore_closed_pipes(*, standard_output: bool) -> None:
    """Always for standard error; for standard output if the command has another purpose than its output."""
    sys.stderr = _ignore_errors(sys.stderr, frozenset(errno.errorcode))
    if standard_output:
        sys.stdout = _ignore_errors(sys.stdout, _PIPE_ERRORS)


def escape_terminal_controls() -> None:
    sys.stderr, sys.stdout = map(_make_escaping, (sys.stderr, sys.stdout))


def get_trusted_stream(*, of_errors: bool) -> TextIO:
    """The stream without escaping, for code that writes colours and escapes text itself."""
    stream = sys.stderr if of_errors else sys.stdout
    return _TrustedStream(stream) if isinstance(stream, _EscapingStream) else stream  # type: ignore[return-value]


def _ignore_errors(stream: TextIO, ignored: frozenset[int]) -> TextIO:
    raw = _TolerantFile(stream.fileno(), ignored)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream is sys.stderr or raw.isatty(),
    )


def _make_escaping(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    encoding, errors, by_line, at_once = stream.encoding, stream.errors, stream.line_buffering, stream.write_through
    buffer = stream.detach()  # otherwise the old stream would close it when collected
    return _EscapingStream(buffer, encoding=encoding, errors=errors, line_buffering=by_line, write_through=at_once)


class _EscapingStream(io.TextIOWrapper):
    def write(self, text: str) -> int:
        return super().write(escape_controls(text))

    def write_trusted(self, text: str) -> int:
        return super().write(text)


class _TrustedStream:
    """Writes text to an `_EscapingStream` without escaping it."""

    def __init__(self, stream: _EscapingStream) -> None:
        self._stream = stream
        self.write = stream.write_trusted

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _TolerantFile(io.FileIO):
    """Data that cannot be written because of an ignored error counts as written."""

    def __init__(self, number: int, ignored: frozenset[int]) -> None:
        super().__init__(number, "w", closefd=False)
        self._ignored = ignored

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            if error.errno not in self._ignored:
                raise
            return len(data)
