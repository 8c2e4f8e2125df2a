"""Input of `url`, `robots` and `parse`: a file, or with `--batch` JSON lines on standard input.

Each input line gives one output line, in order, also if it is not an object or too long. Lines that have arrived are
answered before more input is awaited, so a program can both send queries one by one and pipe a file.
"""

import base64
import binascii
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, BinaryIO, TextIO

import msgspec
import typer

from hondius.errors import WrongUse
from hondius.sanitise import replace_surrogates

CHUNK = 1024 * 1024
LONGEST_LINE = 128 * 1024 * 1024
"""Longer than the largest body in base64 (H2)."""
LARGEST_FILE = 50_000_000
"""The size of the largest body that a crawl reads (H2)."""

Query = dict[str, Any]
Result = dict[str, Any]


Batch = Annotated[bool, typer.Option("--batch", help="JSON lines on standard input, JSON lines on standard output.")]


class BadLine(ValueError):
    """A line that is not a valid query; the message is a short code for the reason."""


def answer_queries(answers: Callable[[Sequence[Query | BadLine]], Sequence[Result]]) -> None:
    """Reads queries from standard input and writes results to standard output. `answers` is called with all queries
    that have arrived."""
    for lines in _read_arrived_lines(get_standard_input().buffer):
        for answer in answers([_parse_query(line) for line in lines]):
            sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()


def answer_each(
    answer: Callable[[Query], Result], absent: Result
) -> Callable[[Sequence[Query | BadLine]], list[Result]]:
    """Adapts a function that answers one query. `absent` is the result for a bad line, without its reason."""

    def answer_one(request: Query | BadLine) -> Result:
        try:
            if isinstance(request, BadLine):
                raise request
            return answer(request)
        except BadLine as bad:
            return {**absent, "reason": str(bad)}

    return lambda requests: [answer_one(request) for request in requests]


def get_text(request: Query, name: str, default: str | None = None) -> str:
    """A field that must be text. Lone surrogates become U+FFFD, as in web APIs."""
    value = request.get(name, default)
    if value is None and default is not None:
        value = default
    if not isinstance(value, str):
        raise BadLine(f"no_{name}" if value is None else f"bad_{name}")
    return replace_surrogates(value)


def _parse_query(line: bytes | BadLine) -> Query | BadLine:
    if isinstance(line, BadLine):
        return line
    try:
        value = json.loads(line.decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return BadLine("not_json")
    return value if isinstance(value, dict) else BadLine("not_an_object")


def _read_arrived_lines(file: BinaryIO) -> Iterator[list[bytes | BadLine]]:
    """Yields all complete lines that have arrived; the last line needs no line feed."""
    line = _Line()
    while data := os.read(file.fileno(), CHUNK):
        *ends, rest = data.split(b"\n")
        lines = [line.finish(end) for end in ends]
        line.add(rest)
        if lines:
            yield lines
    if line.length:
        yield [line.finish(b"")]


class _Line:
    """The line that is being read. A line that is too long is counted, not stored."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.length = 0

    def add(self, data: bytes) -> None:
        self.length += len(data)
        if self.length > LONGEST_LINE:
            self._parts.clear()
        elif data:
            self._parts.append(data)

    def finish(self, data: bytes) -> bytes | BadLine:
        self.add(data)
        whole: bytes | BadLine = b"".join(self._parts)
        if self.length > LONGEST_LINE:
            whole = BadLine("too_long")
        self._parts, self.length = [], 0
        return whole


def get_standard_input() -> TextIO:
    if sys.stdin is None:
        raise WrongUse("standard input is closed: name a file, or send something to it")
    return sys.stdin


def decode_base64(request: Query, name: str) -> bytes:
    try:
        return base64.b64decode(get_text(request, name), validate=True)
    except (binascii.Error, ValueError) as error:
        raise error if isinstance(error, BadLine) else BadLine(f"bad_{name}") from None


def refuse_with_batch(**given: object) -> None:
    for name, value in given.items():
        if value:
            raise WrongUse(f"--batch reads everything from standard input: leave {name.replace('_', '-')} out")


def read_input(file: Path) -> bytes:
    try:
        if str(file) == "-":
            data = get_standard_input().buffer.read(LARGEST_FILE + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(LARGEST_FILE + 1)
    except OSError as error:
        raise WrongUse(f"{file} cannot be read ({error.strerror}): check the path") from None
    if len(data) > LARGEST_FILE:
        raise WrongUse(f"{file} is larger than {LARGEST_FILE // 10**6} MB, more than any crawl reads: shorten it")
    return data
