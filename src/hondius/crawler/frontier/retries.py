"""How often URLs have failed, and when each may be retried.

The partition's view has all of it, but lags behind the log. Memory has what the view does not have yet, and everything
else while that is little. Above `most` URLs, the oldest ones that the view has are forgotten. From then on the view is
read, on a thread that may wait, for URLs that are taken out of the store.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Protocol, TypeVar

MOST_IN_MEMORY = 100_000
"""About 25 MB. Reading one from the view instead costs a hundredth of the cost of a page."""
AT_ONCE = 256
"""URLs that are looked up in the view together, to be forgotten here."""

Retry = tuple[int, float]
"""How often it has failed, and when it may be retried."""
StoredRetries = Mapping[bytes, Retry]
"""The retries of some URLs in the view."""
Result = TypeVar("Result")


class AskThen(Protocol):
    """Runs a blocking function on a thread that may wait, then passes its result on; None if it raised."""

    def __call__(self, question: Callable[[], Result], learn: Callable[[Result | None], None], /) -> None: ...


def ask_inline(question: Callable[[], Result], learn: Callable[[Result | None], None], /) -> None:
    """Calls the function directly. For callers without an event loop."""
    learn(question())


class Retries:
    def __init__(
        self,
        known: Mapping[bytes, Retry] | None = None,
        *,
        load: Callable[[bytes], Retry | None] = lambda key: None,
        most: int = MOST_IN_MEMORY,
        ask_then: AskThen = ask_inline,
    ) -> None:
        """`known`: everything from earlier runs, or None if that is too much. `load` reads the view, and blocks."""
        self.here: dict[bytes, Retry] = dict(known or {})
        """Those in memory."""
        self._load = load
        self._most = most
        self._room_at = most
        self._ask_then = ask_then
        self._is_making_room = False
        self.has_all = known is not None
        """Whether a URL that is not in memory has never failed."""

    def __len__(self) -> int:
        """Only those in memory."""
        return len(self.here)

    def get(self, key: bytes) -> Retry | None:
        """Only from memory."""
        return self.here.get(key)

    def read(self, keys: Sequence[bytes]) -> StoredRetries:
        """The retries of these URLs in the view. Blocks; any thread may call it."""
        found = ((key, self._load(key)) for key in keys)
        return {key: retry for key, retry in found if retry is not None}

    def set(self, key: bytes, tries: int, when: float) -> None:
        self.here[key] = (tries, when)
        if len(self.here) > self._room_at:
            self._make_room()

    def forget(self, key: bytes) -> None:
        self.here.pop(key, None)

    def _make_room(self) -> None:
        if not self._is_making_room:
            self._is_making_room = True
            oldest = list(islice(self.here, AT_ONCE))
            self._ask_then(lambda: self.read(oldest), lambda stored: self._forget_stored(oldest, stored or {}))

    def _forget_stored(self, oldest: Sequence[bytes], stored: StoredRetries) -> None:
        """Forgets URLs that the view has, and those that never failed but were only delayed. Others, which the view
        does not have yet or which failed again meanwhile, move to the end and are looked at last."""
        for key in oldest:
            if (here := self.here.pop(key, None)) is None:
                continue
            if here[0] == 0 or (key in stored and stored[key][0] >= here[0]):
                self.has_all = False
            else:
                self.here[key] = here
        self._is_making_room = False
        self._room_at = max(self._most, len(self.here) + AT_ONCE // 4)
