"""Consumers, in memory."""

from contextlib import AbstractContextManager, nullcontext

from hondius.consumer_names import refuse_bad_name
from hondius.position import Cursor


class MemoryConsumers:
    """All objects with the same dictionary share its cursors."""

    def __init__(self, saved: dict[str, Cursor]) -> None:
        self._saved = saved

    def position(self, name: str) -> Cursor | None:
        refuse_bad_name(name)
        return self._saved.get(name)

    def save(self, name: str, cursor: Cursor) -> None:
        refuse_bad_name(name)
        self._saved[name] = cursor

    def hold(self, name: str) -> AbstractContextManager[None]:
        """No other process knows the crawl."""
        refuse_bad_name(name)
        return nullcontext()

    def list(self) -> list[str]:
        return sorted(self._saved)

    def remove(self, name: str) -> bool:
        refuse_bad_name(name)
        return self._saved.pop(name, None) is not None
