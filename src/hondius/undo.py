"""Undoes a step if a later one fails."""

from collections.abc import Callable
from types import TracebackType
from typing import Any


class OnFailure:
    """`with OnFailure(undo, …):` calls `undo(…)` if the block raises; the exception is passed on.

    A class, not a generator with `contextlib.contextmanager`: every page uses several, and those cost four times as
    much."""

    __slots__ = ("_arguments", "_undo")

    def __init__(self, undo: Callable[..., object], *arguments: Any) -> None:
        self._undo = undo
        self._arguments = arguments

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._undo(*self._arguments)
