"""One origin, awake: what was taken ahead for it, and what waits for another try."""

import msgspec

from hondius.native import QueuedUrl

READY = float("-inf")
"""The `due` of an origin whose time has come: earlier than any time."""


class BackQueue(msgspec.Struct, gc=False, eq=False):
    """`urls` were taken ahead, the next one last; `retries` wait for another try, by time.

    It is never part of a cycle, and there are thousands: the garbage collector need not look at them.
    """

    id: int
    origin: str
    host: str
    row: int
    urls: list[QueuedUrl] = []
    retries: list[tuple[float, int, QueuedUrl]] = []
    due: float | None = None
    """When its time comes, if it waits in the heap; an entry of the heap with another time is stale. `READY`: it is in
    a row. None: it was popped, and whoever holds it gives it back."""
    is_last: bool = False
    """The store has nothing behind what is here; `wake` says when it has again."""

    @property
    def is_waiting(self) -> bool:
        """Whether it is in the heap."""
        return self.due is not None and self.due != READY

    def list_urls(self) -> list[QueuedUrl]:
        """What was taken out of the store and not handed out."""
        return self.urls + [url for _, _, url in self.retries]
