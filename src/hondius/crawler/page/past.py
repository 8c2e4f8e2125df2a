"""What is known of a page that somebody wants fetched again (R4)."""

from collections.abc import Mapping
from typing import Any

from hondius.model import State
from hondius.native import Identity, QueuedUrl
from hondius.ports import PartitionView

Past = Mapping[str, Any]
NOT_MODIFIED = 304


def past_of(view: PartitionView, identity: Identity, url: QueuedUrl) -> Past | None:
    """Its row in the catalog, with `body_url` and `body_at`: where and when its body was last received. None where it
    is to be fetched as if nothing were known of it: for the first time, or again for its links."""
    if url.via != "recrawl" or url.source is not None:
        return None
    row = view.page(url.key)
    if row is None:
        return None
    if row["state"] != State.DUPLICATE and row["status"] != NOT_MODIFIED:
        return {**row, "body_url": row["url"], "body_at": row["started_at"]}
    body_url = row["copy_of"] or row["url"]
    return {**row, "body_url": body_url, "body_at": _received_at(view, identity, body_url, row)}


def _received_at(view: PartitionView, identity: Identity, body_url: str, row: Past) -> float:
    """Neither a copy nor a 304 has a body in the archive that a revisit could refer to."""
    received: list[float] = [
        fetch["started_at"]
        for fetch in view.fetches(identity.parse(body_url).key)
        if fetch["started_at"] and fetch["content_hash"] == row["content_hash"] and fetch["status"] != NOT_MODIFIED
    ]
    return received[-1] if received else float(row["started_at"])
