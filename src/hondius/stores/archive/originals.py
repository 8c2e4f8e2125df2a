"""Which bodies are kept already, and in which bytes.

A copy is known by its text; a revisit promises equal *bytes*. The two differ where a server compresses
by mood, so a revisit may be written only where the original's payload digest is known. It is, for the
records of this run: beyond the newest of them, or across a restart, a copy is simply kept whole.
"""

from collections import OrderedDict


class Originals:
    def __init__(self, capacity: int = 50_000) -> None:
        self._capacity = capacity
        self._digests: OrderedDict[int, str] = OrderedDict()

    def remember(self, url: str, date: str, digest: str) -> None:
        if not digest:
            return  # a revisit keeps nothing that another could refer to
        self._digests[hash((url, date))] = digest
        if len(self._digests) > self._capacity:
            self._digests.popitem(last=False)

    def digest(self, url: str | None, date: str | None) -> str | None:
        """A hash that two records share would have to meet an equal SHA-256 to do harm."""
        return self._digests.get(hash((url, date)))
