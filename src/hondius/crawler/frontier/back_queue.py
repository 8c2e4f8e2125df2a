"""One origin, awake: what was taken ahead for it, and what waits for another try."""

import msgspec

from hondius.native import QueuedUrl


class BackQueue(msgspec.Struct, gc=False, eq=False):
    """`urls` were taken ahead, the next one last; `again` wait for another try, by time.

    It is never part of a cycle, and there are thousands: the garbage collector need not look at them.
    """

    id: int
    origin: str
    host: str
    row: int
    urls: list[QueuedUrl] = []
    again: list[tuple[float, int, QueuedUrl]] = []
    due: float | None = None
    """Its time in the heap; None where it does not stand there. An entry with another time is stale."""
    scheduled: bool = False
    """It stands in a row or in the heap."""
    held: bool = False
    """It was popped: whoever holds it gives it back."""
    is_unread: bool = False
    """Whether URLs taken ahead have failed before is not known yet: the partition's view must be read."""
    is_last: bool = False
    """The store has nothing behind what is here; `wake` says when it has again."""

    def in_memory(self) -> list[QueuedUrl]:
        """What was taken out of the store and not handed out."""
        return self.urls + [url for _, _, url in self.again]
