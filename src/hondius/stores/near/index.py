"""The native index, as a view of the log. The same class serves both worlds."""

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from pathlib import Path

from hondius.errors import BrokenView, DiskFull
from hondius.model import Finished, Frame, State
from hondius.native import NativeError
from hondius.native import NearIndex as NativeIndex
from hondius.position import Position

BINS = 64
"""Bins of a sketch: the share of equal ones is the similarity of two texts."""
SKETCH_BYTES = 76
KEY_BYTES = 16
_FULL = (errno.ENOSPC, errno.EDQUOT)


def make_index(directory: Path | None, similarity: float) -> NativeIndex:
    return NativeIndex(None if directory is None else str(directory), least=ceil(similarity * BINS))


def open_index(directory: Path, similarity: float) -> "NearCopyIndex":
    with translate_errors(directory):
        return NearCopyIndex(make_index(directory, similarity), directory, is_on_disk=True)


class NearCopyIndex:
    def __init__(self, index: NativeIndex, path: Path, *, is_on_disk: bool = False) -> None:
        """`path`: its name in messages."""
        self._index = index
        self._path = path
        self._is_on_disk = is_on_disk

    @property
    def name(self) -> str:
        return self._path.name

    @property
    def position(self) -> Position:
        return Position.of(self._index.sequences)

    @property
    def log(self) -> int:
        return self._index.log

    @property
    def pages(self) -> int:
        return self._index.pages

    def find(self, key: bytes, sketch: bytes) -> tuple[bool, bytes | None]:
        with translate_errors(self._path):
            is_new, canonical, _ = self._index.find(key, sketch)
        return is_new, canonical

    def remember(self, key: bytes, sketch: bytes) -> None:
        self._index.remember(key, sketch)

    def forget(self, key: bytes) -> None:
        self._index.forget(key)

    def apply(self, frames: Sequence[Frame]) -> int:
        with translate_errors(self._path):
            for frame in frames:
                pages = [(event.key, event.sketch) for event in list_canonical(frame) if event.sketch is not None]
                self._index.apply(frame.log, frame.partition, frame.sequence, pages)
        return 0

    def find_damages(self) -> list[str]:
        with translate_errors(self._path):
            return self._index.damages()

    def close(self) -> None:
        """What cannot be written is applied again at the next start. An index in memory lives on, without pages that no
        frame has."""
        self._index.forget_all()
        if self._is_on_disk:
            with translate_errors(self._path):
                self._index.close()


def list_canonical(frame: Frame) -> Iterator[Finished]:
    """The pages of a frame of which others may be near copies. A log from a stranger may hold a sketch of any size."""
    for event in frame.events:
        if (
            type(event) is Finished
            and event.sketch is not None
            and event.near_of is None
            and event.state is State.COMPLETED
            and event.kind == "page"
            and (len(event.key), len(event.sketch)) == (KEY_BYTES, SKETCH_BYTES)
        ):
            yield event


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except NativeError as error:
        if error.kind == "io" and error.errno in _FULL:
            raise DiskFull(f"no room left for {path} ({error}); make room") from error
        if error.kind == "invalid":
            raise
        raise BrokenView(path, f"is damaged ({error})") from error
