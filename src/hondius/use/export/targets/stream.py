"""Standard output."""

from contextlib import AbstractContextManager
from types import TracebackType
from typing import BinaryIO, Self

from hondius.errors import WrongUse
from hondius.use.output import open_output, translate_error


class StreamTarget:
    name = "standard output"
    main = ""
    is_stream = True

    def __init__(self, *, is_directory: bool) -> None:
        if is_directory:
            raise WrongUse("this format writes many files: name a new directory with -o")

    def open(self, name: str) -> AbstractContextManager[BinaryIO]:
        return open_output(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise translate_error(error, None) from error
