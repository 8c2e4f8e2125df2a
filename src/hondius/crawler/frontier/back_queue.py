"""One awake origin: the URLs that were taken ahead for it, and those that wait for a retry."""

import msgspec

from hondius.native import QueuedUrl

READY = float("-inf")
"""The `due` of an origin that is in a row: earlier than any time."""


class BackQueue(msgspec.Struct, gc=False, eq=False):
    """`urls` were taken ahead, the next one last. `retries` wait for another try, ordered by time.

    Back queues are never part of a cycle and there are thousands, so the garbage collector need not track them."""

    id: int
    origin: str
    host: str
    row: int
    urls: list[QueuedUrl] = []
    retries: list[tuple[float, int, QueuedUrl]] = []
    due: float | None = None
    """When it is due, if it waits in the heap; an entry of the heap with another time is stale. `READY`: it is in a
    row. None: it was popped, and its holder gives it back."""
    is_last: bool = False
    """The store has no URLs beyond those in memory. `wake` resets this."""

    @property
    def is_waiting(self) -> bool:
        """Whether it is in the heap."""
        return self.due is not None and self.due != READY

    def list_urls(self) -> list[QueuedUrl]:
        """URLs that were taken out of the store and not handed out."""
        return self.urls + [url for _, _, url in self.retries]
