"""A file, and files beside it."""

from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from hondius.use.output import open_output, refuse_unwritable, translate_error


class FilesTarget:
    """A symbolic link is written through; a pipe or device is written directly."""

    is_stream = False

    def __init__(self, path: Path) -> None:
        refuse_unwritable(path)
        self._path = path
        self.name = str(path)
        self.main = path.name

    def open(self, name: str) -> AbstractContextManager[BinaryIO]:
        return open_output(self._path.with_name(name))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, OSError):
            raise translate_error(error, self._path) from error
