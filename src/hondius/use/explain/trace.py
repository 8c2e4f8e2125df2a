"""What the log has of a key, where the catalog has nothing, or may not have the last word."""

from dataclasses import dataclass
from typing import Any

import msgspec

from hondius.model import Discovered, Finished, FoundCloser, Frame
from hondius.native import DiscoveredUrl, decode_discoveries
from hondius.ports import Log
from hondius.position import Position

RECENT = 1_000
"""Frames."""


@dataclass(frozen=True, slots=True)
class Trace:
    found: DiscoveredUrl | None
    page: dict[str, Any] | None
    """How it ended, in the catalog's words: in frames that the catalog has not applied yet."""
    again: bool = False
    """It ended, and an order has queued it once more since (R4)."""


def trace_of(log: Log, key: bytes, applied: Position) -> Trace:
    """`applied` is where the catalog stands, which knows of no end of this URL."""
    found = None
    for frame in log.read():
        closer = discovery_in(frame, key)
        if closer is not None and (found is None or closer.depth < found.depth):
            found = closer
    page = None
    for frame in log.read(applied):
        page = _ending(frame, key) or page
    return Trace(found, page)


def queued_again(log: Log, key: bytes) -> bool:
    """For those who cannot ask the URL store. Such an order is obeyed before all else, so the newest frames tell: all
    of a large log would take minutes."""
    again = False
    for frame in log.newest(RECENT):
        found = discovery_in(frame, key)
        again = (found is not None and found.via == "recrawl") or (again and _ending(frame, key) is None)
    return again


def discovery_in(frame: Frame, key: bytes) -> DiscoveredUrl | None:
    """The closest of the frame. Keys stand in the data as they are: what does not hold this one need not be decoded."""
    closest = None
    for event in frame.events:
        if isinstance(event, Discovered | FoundCloser) and key in event.data:
            for found in decode_discoveries(event.data):
                if found.key == key and (closest is None or found.depth < closest.depth):
                    closest = found
    return closest


def _ending(frame: Frame, key: bytes) -> dict[str, Any] | None:
    for event in reversed(frame.events):
        if isinstance(event, Finished) and event.key == key:
            page = msgspec.structs.asdict(event)
            fetched_at = page.pop("fetched_at")
            return page | {
                "last_fetched_at": fetched_at,
                "first_fetched_at": fetched_at,
                "fetch_count": int(fetched_at is not None),
                "change_count": 0,
            }
    return None
