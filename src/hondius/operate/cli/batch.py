"""What `url`, `robots` and `parse` are given: a file, or with `--batch` JSON lines in, JSON lines out.

Every line is answered by a line, in order: also one that is no object, or too long to be read. What has arrived is
answered before more is waited for, so that a program may hold a conversation as well as pipe a file through.
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
from hondius.operate.cli.plain import whole_text

CHUNK = 1024 * 1024
LONGEST_LINE = 128 * 1024 * 1024
"""More than the largest body takes in base64 (H2)."""
LARGEST_FILE = 50_000_000
"""As the largest body that a crawl takes (H2)."""

Request = dict[str, Any]
Answer = dict[str, Any]


Batch = Annotated[bool, typer.Option("--batch", help="JSON lines on standard input, JSON lines on standard output.")]


class BadLine(ValueError):
    """A line that asks for nothing; the message is the reason, in a word."""


def answer_lines(answers: Callable[[Sequence[Request | BadLine]], Sequence[Answer]]) -> None:
    """From standard input to standard output. `answers` gets the lines that have arrived together."""
    for lines in _arrived(standard_input().buffer):
        for answer in answers([_request(line) for line in lines]):
            sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()


def one_by_one(
    answer: Callable[[Request], Answer], absent: Answer
) -> Callable[[Sequence[Request | BadLine]], list[Answer]]:
    """For what is not answered faster together. `absent` is the answer that knows nothing."""

    def answered(request: Request | BadLine) -> Answer:
        try:
            if isinstance(request, BadLine):
                raise request
            return answer(request)
        except BadLine as bad:
            return {**absent, "reason": str(bad)}

    return lambda requests: [answered(request) for request in requests]


def text_of(request: Request, name: str, default: str | None = None) -> str:
    """A field that must be text; lone surrogates become U+FFFD, as in the web's own APIs."""
    value = request.get(name, default)
    if value is None and default is not None:
        value = default
    if not isinstance(value, str):
        raise BadLine(f"no_{name}" if value is None else f"bad_{name}")
    return whole_text(value)


def _request(line: bytes | BadLine) -> Request | BadLine:
    if isinstance(line, BadLine):
        return line
    try:
        value = json.loads(line.decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return BadLine("not_json")
    return value if isinstance(value, dict) else BadLine("not_an_object")


def _arrived(file: BinaryIO) -> Iterator[list[bytes | BadLine]]:
    """Whole lines, as many as came together; the last one needs no end."""
    line = _Line()
    while data := os.read(file.fileno(), CHUNK):
        *ends, rest = data.split(b"\n")
        lines = [line.ended(end) for end in ends]
        line.add(rest)
        if lines:
            yield lines
    if line.length:
        yield [line.ended(b"")]


class _Line:
    """The line that is being read; what is behind its longest length is not kept."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.length = 0

    def add(self, data: bytes) -> None:
        self.length += len(data)
        if self.length > LONGEST_LINE:
            self._parts.clear()
        elif data:
            self._parts.append(data)

    def ended(self, data: bytes) -> bytes | BadLine:
        self.add(data)
        whole: bytes | BadLine = b"".join(self._parts)
        if self.length > LONGEST_LINE:
            whole = BadLine("too_long")
        self._parts, self.length = [], 0
        return whole


def standard_input() -> TextIO:
    if sys.stdin is None:
        raise WrongUse("standard input is closed: name a file, or send something to it")
    return sys.stdin


def octets_of(request: Request, name: str) -> bytes:
    try:
        return base64.b64decode(text_of(request, name), validate=True)
    except (binascii.Error, ValueError) as error:
        raise error if isinstance(error, BadLine) else BadLine(f"bad_{name}") from None


def refuse_beside_batch(**given: object) -> None:
    for name, value in given.items():
        if value:
            raise WrongUse(f"--batch reads everything from standard input: leave {name.replace('_', '-')} out")


def read_input(file: Path) -> bytes:
    try:
        if str(file) == "-":
            data = standard_input().buffer.read(LARGEST_FILE + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(LARGEST_FILE + 1)
    except OSError as error:
        raise WrongUse(f"{file} cannot be read ({error.strerror}): check the path") from None
    if len(data) > LARGEST_FILE:
        raise WrongUse(f"{file} is larger than {LARGEST_FILE // 10**6} MB, more than any crawl reads: shorten it")
    return data
