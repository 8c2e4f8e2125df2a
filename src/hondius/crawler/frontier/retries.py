"""How often URLs have failed, and when each may be tried again.

The partition's view has all of it, but lags behind the log. Memory has what the view does not have yet, and all else
as long as that is little. Above `most` URLs, the oldest that the view has are forgotten here; from then on the
view is asked for whatever is not in memory.
"""

from collections.abc import Callable, Mapping
from itertools import islice

MOST_IN_MEMORY = 100_000
"""Some 25 MB. To look one up in the view instead costs a hundredth of what a page costs."""
AT_ONCE = 256
"""Forgotten together: a look into the view takes about 10 µs, and the event loop waits for it."""

Retry = tuple[int, float]
"""How often it has failed, and when it may be tried again."""


class Retries:
    def __init__(
        self,
        known: Mapping[bytes, Retry] | None = None,
        *,
        written: Callable[[bytes], Retry | None] = lambda key: None,
        most: int = MOST_IN_MEMORY,
    ) -> None:
        """`known`: all that earlier runs tell, or None where that is too much. `written`: what the view says."""
        self._here: dict[bytes, Retry] = dict(known or {})
        self._written = written
        self._most = most
        self._room_at = most
        self._are_all_here = known is not None

    def __len__(self) -> int:
        """Those in memory."""
        return len(self._here)

    def get(self, key: bytes) -> Retry | None:
        here = self._here.get(key) if self._here else None
        return here if here is not None or self._are_all_here else self._written(key)

    def set(self, key: bytes, tries: int, when: float) -> None:
        self._here[key] = (tries, when)
        if len(self._here) > self._room_at:
            self._make_room()

    def forget(self, key: bytes) -> None:
        self._here.pop(key, None)

    def _make_room(self) -> None:
        """Forgets entries that the view has, and those that never failed: they were only put off for a moment. What
        the view does not have yet moves to the end, to be looked at again after the others."""
        for key, (tries, when) in list(islice(self._here.items(), AT_ONCE)):
            del self._here[key]
            if tries == 0 or ((written := self._written(key)) is not None and written[0] >= tries):
                self._are_all_here = False
            else:
                self._here[key] = (tries, when)
        self._room_at = max(self._most, len(self._here) + AT_ONCE // 4)
