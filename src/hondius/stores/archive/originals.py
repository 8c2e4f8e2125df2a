"""Which bodies are already archived, and with which payload digest.

A copy has an equal decoded body, but a revisit record promises equal *bytes*. They differ if a server sometimes
compresses and sometimes does not. So a revisit is written only if the payload digest of the original is known, which
it is for the newest records of this run. Otherwise a copy is archived whole.
"""

from collections import OrderedDict


class Originals:
    def __init__(self, capacity: int = 50_000) -> None:
        self._capacity = capacity
        self._digests: OrderedDict[int, str] = OrderedDict()

    def remember(self, url: str, date: str, digest: str) -> None:
        if not digest:
            return  # a revisit has no payload to refer to
        self._digests[hash((url, date))] = digest
        if len(self._digests) > self._capacity:
            self._digests.popitem(last=False)

    def find_digest(self, url: str | None, date: str | None) -> str | None:
        """The payload digest of the original. A wrong match would do harm only with equal SHA-256 digests."""
        return self._digests.get(hash((url, date)))
