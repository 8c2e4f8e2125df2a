"""Sorts more lines than fit into memory."""

import heapq
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import IO, Self

BATCH = 50_000
"""Lines that are sorted in memory; each batch becomes a temporary file."""


class SortedLines:
    """Lines in UTF-8, in the order of their bytes. Temporary files have no name: nothing is left after a kill."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._batches: list[IO[bytes]] = []
        self._opened = ExitStack()

    def add(self, line: str) -> None:
        self._lines.append(f"{line}\n".encode())
        if len(self._lines) >= BATCH:
            self._spill()

    def __iter__(self) -> Iterator[bytes]:
        for batch in self._batches:
            batch.seek(0)
        return heapq.merge(sorted(self._lines), *self._batches)

    def _spill(self) -> None:
        file = self._opened.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        file.writelines(sorted(self._lines))
        self._batches.append(file)
        self._lines.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()
