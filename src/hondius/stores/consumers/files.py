"""Consumers, as files in `consumers/`."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import msgspec

from hondius.consumer_names import is_name, refuse_bad_name
from hondius.errors import Broken
from hondius.hints import quote_command
from hondius.ports import Disk
from hondius.position import Cursor

DIRECTORY = "consumers"
SUFFIX = ".json"
LARGEST = 64 * 1024
Hold = Callable[[str, str], AbstractContextManager[None]]
"""Takes a path in the crawl, and what it stands for."""


class ConsumerFiles:
    """A file is replaced as a whole and synced, so a crash leaves the old cursor or the new one."""

    def __init__(self, disk: Disk, hold: Hold | None = None) -> None:
        """`hold` locks a file under the name of a consumer; None if no other process can use this disk."""
        self._disk = disk
        self._hold = hold

    def position(self, name: str) -> Cursor | None:
        path = _path(name)
        if not self._disk.exists(path):
            return None
        try:
            cursor = msgspec.json.decode(self._disk.read(path, 0, LARGEST), type=Cursor)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            cursor = None
        if cursor is None or not _is_possible(cursor):
            remedy = quote_command("consumers", self._disk.place, "--remove", name)
            raise Broken(f"{path} is damaged: put it back from a copy, or begin again after {remedy}")
        return cursor

    def save(self, name: str, cursor: Cursor) -> None:
        self._disk.replace(_path(name), msgspec.json.encode(cursor), is_shared=True)

    def hold(self, name: str) -> AbstractContextManager[None]:
        refuse_bad_name(name)
        return nullcontext() if self._hold is None else self._hold(f"{DIRECTORY}/{name}.lock", f"consumer {name}")

    def list(self) -> list[str]:
        names = (name.removesuffix(SUFFIX) for name in self._disk.list(DIRECTORY) if name.endswith(SUFFIX))
        return sorted(name for name in names if is_name(name))

    def remove(self, name: str) -> bool:
        path = _path(name)
        is_there = self._disk.exists(path)
        if is_there:
            self._disk.remove(path)
        return is_there


def _path(name: str) -> str:
    refuse_bad_name(name)
    return f"{DIRECTORY}/{name}{SUFFIX}"


def _is_possible(cursor: Cursor) -> bool:
    positions = [cursor.position, *([] if cursor.frame is None else [cursor.frame])]
    return cursor.events >= 0 and all(number >= 0 for position in positions for number in position.sequences)
