"""What the log knows of a key, for URLs that the catalog does not have, or has not up to date."""

from dataclasses import dataclass
from struct import Struct
from typing import Any

import msgspec

from hondius.model import Discovered, Finished, FoundCloser, Frame, Reprioritised
from hondius.native import DiscoveredUrl, decode_discoveries
from hondius.ports import Log
from hondius.position import Position

RECENT = 1_000
"""Frames."""
_ORDER = Struct("<16sd")
"""Key and priority, after a byte for the version."""


@dataclass(frozen=True, slots=True)
class Trace:
    found: DiscoveredUrl | None
    page: dict[str, Any] | None
    """How it ended, as a row of the catalog, if the catalog has not applied that frame yet."""
    again: bool = False
    """It has ended, and an order has queued it again (R4)."""
    priority: float | None = None
    """What it became while the URL waited (F2); None if it did not change."""


def find_trace(log: Log, key: bytes, applied: Position) -> Trace:
    """`applied` is the position of the catalog, which has no end of this URL."""
    found, priority = None, None
    for frame in log.read():
        closer = find_discovery(frame, key)
        if closer is not None and (found is None or closer.depth < found.depth):
            found = closer
        priority = _find_priority(frame, key) or priority
    page = None
    for frame in log.read(applied):
        page = _find_ending(frame, key) or page
    return Trace(found, page, priority=priority)


def is_queued_again(log: Log, key: bytes) -> bool:
    """Used if the URL store is not available. Reads only the newest frames, as all of a large log takes minutes: such
    an order is carried out first, so it is recent."""
    again = False
    for frame in log.newest(RECENT):
        found = find_discovery(frame, key)
        again = (found is not None and found.via == "recrawl") or (again and _find_ending(frame, key) is None)
    return again


def find_discovery(frame: Frame, key: bytes) -> DiscoveredUrl | None:
    """The discovery with the lowest depth in the frame. Keys are stored verbatim, so data without the key need not be
    decoded."""
    closest = None
    for event in frame.events:
        if isinstance(event, Discovered | FoundCloser) and key in event.data:
            for found in decode_discoveries(event.data):
                if found.key == key and (closest is None or found.depth < closest.depth):
                    closest = found
    return closest


def _find_priority(frame: Frame, key: bytes) -> float | None:
    for event in reversed(frame.events):
        if isinstance(event, Reprioritised) and key in event.data:
            whole = len(event.data[1:]) // _ORDER.size * _ORDER.size
            for row, priority in _ORDER.iter_unpack(event.data[1 : 1 + whole]):
                if row == key:
                    return float(priority)
    return None


def _find_ending(frame: Frame, key: bytes) -> dict[str, Any] | None:
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
