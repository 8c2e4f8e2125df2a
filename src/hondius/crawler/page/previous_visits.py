"""Previous visits of pages that are fetched again (R4).

They are read from the partition's view on a thread that may wait, before the turn of the host begins, together with
those of the other URLs that were taken ahead.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hondius.model import State
from hondius.native import Identity, QueuedUrl
from hondius.ports import PartitionView

PreviousVisit = Mapping[str, Any]
NOT_MODIFIED = 304
RECRAWL = "recrawl"
MOST_REMEMBERED = 10_000
"""About 3 KB each. No more are read ahead of their hand-out."""


class PreviousVisits:
    def __init__(self, view: PartitionView, identity: Identity) -> None:
        self._view = view
        self._identity = identity
        self._read: OrderedDict[bytes, PreviousVisit | None] = OrderedDict()

    def must_read(self, url: QueuedUrl) -> bool:
        """Whether the view must be read before this URL is requested."""
        return is_conditional(url) and url.key not in self._read

    def list_unread(self, urls: Iterable[QueuedUrl]) -> list[QueuedUrl]:
        return [url for url in urls if self.must_read(url)]

    def read(self, urls: Sequence[QueuedUrl]) -> list[PreviousVisit | None]:
        """The previous visits in the view. Blocks; any thread may call it."""
        return [find_previous_visit(self._view, self._identity, url) for url in urls]

    def learn(self, urls: Sequence[QueuedUrl], visits: Sequence[PreviousVisit | None]) -> None:
        """`visits` have just been read. The URLs are out of the store, so nobody else can have fetched them
        meanwhile."""
        self._read.update(zip((url.key for url in urls), visits, strict=True))
        while len(self._read) > MOST_REMEMBERED:
            self._read.popitem(last=False)

    def pop(self, url: QueuedUrl) -> PreviousVisit | None:
        """None if the URL is fetched as if it were new."""
        return self._read.pop(url.key, None)


def is_conditional(url: QueuedUrl) -> bool:
    """Whether the page may be unchanged. A page that is fetched again for its links or its body has a source, and is
    requested unconditionally."""
    return url.via == RECRAWL and url.source is None


def find_previous_visit(view: PartitionView, identity: Identity, url: QueuedUrl) -> PreviousVisit | None:
    """Its row in the view, with `body_url` and `body_at`: where and when its body was last received. None if it is
    fetched as if it were new: for the first time, or again for its links."""
    if not is_conditional(url):
        return None
    row = view.page(url.key)
    if row is None:
        return None
    if row["state"] != State.DUPLICATE and row["status"] != NOT_MODIFIED:
        return {**row, "body_url": row["url"], "body_at": row["started_at"]}
    body_url = row["copy_of"] or row["url"]
    return {**row, "body_url": body_url, "body_at": _find_received_at(view, identity, body_url, row)}


def _find_received_at(view: PartitionView, identity: Identity, body_url: str, row: PreviousVisit) -> float:
    """Neither a copy nor a 304 has a body in the archive that a revisit record could refer to."""
    received: list[float] = [
        fetch["started_at"]
        for fetch in view.fetches(identity.parse(body_url).key)
        if fetch["started_at"] and fetch["content_hash"] == row["content_hash"] and fetch["status"] != NOT_MODIFIED
    ]
    return received[-1] if received else float(row["started_at"])
