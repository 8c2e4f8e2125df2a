"""A directory of many files. It is made under a temporary name, and renamed when all files are in it and durable."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from hondius.errors import WrongUse
from hondius.use.output import refuse_unwritable_directory, translate_error
from hondius.use.temporary import create_temporary_directory


class DirectoryTarget:
    is_stream = False
    main = ""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path.resolve()
        self._making = self._path
        """The temporary directory, while it is made."""
        self._lock = -1
        refuse_unwritable_directory(path)
        if self._path.exists() and any(self._path.iterdir()):
            raise WrongUse(f"{path} is not empty: choose a new directory, or remove it first")

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        path = self._making / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            yield file

    def __enter__(self) -> Self:
        """Removes what a killed export left."""
        self._making, self._lock = create_temporary_directory(self._path)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                _sync_tree(self._making)
                with suppress(FileNotFoundError):
                    self._path.rmdir()
                self._making.rename(self._path)
                _sync(self._path.parent)
        except OSError as problem:
            raise translate_error(problem, self._path) from problem
        finally:
            shutil.rmtree(self._making, ignore_errors=True)
            os.close(self._lock)
        if isinstance(error, OSError):
            raise translate_error(error, self._path) from error


def _sync_tree(top: Path) -> None:
    """Syncs the files after all are written: the system writes most of them meanwhile."""
    for directory, _, files in os.walk(top):
        for name in files:
            _sync(Path(directory, name))
        _sync(Path(directory))


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
