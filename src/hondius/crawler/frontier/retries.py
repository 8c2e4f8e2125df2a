"""How often URLs have failed, and when each may be tried again.

The partition's view has all of it, but lags behind the log. Memory has what the view does not have yet, and all else
as long as that is little. Above `most` URLs, the oldest that the view has are forgotten here; from then on the view
is read, on a thread that may wait, for the URLs of an origin that are taken out of the store.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Protocol, TypeVar

MOST_IN_MEMORY = 100_000
"""Some 25 MB. To look one up in the view instead costs a hundredth of what a page costs."""
AT_ONCE = 256
"""Looked up in the view together, to be forgotten here."""

Retry = tuple[int, float]
"""How often it has failed, and when it may be tried again."""
Written = Mapping[bytes, Retry]
"""What the view has of some URLs."""
Answer = TypeVar("Answer")


class AskThen(Protocol):
    """Runs a question that blocks on a thread that may wait, then tells the answer; None if there is none."""

    def __call__(self, question: Callable[[], Answer], learn: Callable[[Answer | None], None], /) -> None: ...


def ask_inline(question: Callable[[], Answer], learn: Callable[[Answer | None], None], /) -> None:
    """For who has no event loop to keep free."""
    learn(question())


class Retries:
    def __init__(
        self,
        known: Mapping[bytes, Retry] | None = None,
        *,
        written: Callable[[bytes], Retry | None] = lambda key: None,
        most: int = MOST_IN_MEMORY,
        ask_then: AskThen = ask_inline,
    ) -> None:
        """`known`: all that earlier runs tell, or None where that is too much. `written`: what the view says; it
        blocks."""
        self._here: dict[bytes, Retry] = dict(known or {})
        self._written = written
        self._most = most
        self._room_at = most
        self._ask_then = ask_then
        self._is_making_room = False
        self.has_all = known is not None
        """Whether a URL that is not in memory has never failed."""

    def __len__(self) -> int:
        """Those in memory."""
        return len(self._here)

    def get(self, key: bytes) -> Retry | None:
        """From memory alone."""
        return self._here.get(key)

    def read(self, keys: Sequence[bytes]) -> Written:
        """What the view has of them. Blocks; any thread may call it."""
        found = ((key, self._written(key)) for key in keys)
        return {key: retry for key, retry in found if retry is not None}

    def set(self, key: bytes, tries: int, when: float) -> None:
        self._here[key] = (tries, when)
        if len(self._here) > self._room_at:
            self._make_room()

    def forget(self, key: bytes) -> None:
        self._here.pop(key, None)

    def _make_room(self) -> None:
        if not self._is_making_room:
            self._is_making_room = True
            oldest = list(islice(self._here, AT_ONCE))
            self._ask_then(lambda: self.read(oldest), lambda written: self._forget_written(oldest, written or {}))

    def _forget_written(self, oldest: Sequence[bytes], written: Written) -> None:
        """Forgets entries that the view has, and those that never failed: they were only put off for a moment. What
        the view does not have yet, or failed again meanwhile, moves to the end, to be looked at after the others."""
        for key in oldest:
            if (here := self._here.pop(key, None)) is None:
                continue
            if here[0] == 0 or (key in written and written[key][0] >= here[0]):
                self.has_all = False
            else:
                self._here[key] = here
        self._is_making_room = False
        self._room_at = max(self._most, len(self._here) + AT_ONCE // 4)
