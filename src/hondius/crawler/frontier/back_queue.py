"""One origin, awake: what was taken ahead for it, and what waits for another try."""

from hondius.native import QueuedUrl


class BackQueue:
    """`urls` were taken ahead, the next one last; `again` wait for another try, by time."""

    __slots__ = ("again", "due", "held", "host", "id", "is_last", "origin", "row", "scheduled", "urls")

    def __init__(self, number: int, origin: str, host: str, row: int) -> None:
        self.id = number
        self.origin = origin
        self.host = host
        self.row = row
        self.urls: list[QueuedUrl] = []
        self.again: list[tuple[float, int, QueuedUrl]] = []
        self.due: float | None = None
        """Its time in the heap; None where it does not stand there. An entry with another time is stale."""
        self.scheduled = False
        """It stands in a row or in the heap."""
        self.held = False
        """It was popped: whoever holds it gives it back."""
        self.is_last = False
        """The store has nothing behind what is here; `wake` says when it has again."""

    def in_memory(self) -> list[QueuedUrl]:
        """What was taken out of the store and not handed out."""
        return self.urls + [url for _, _, url in self.again]
