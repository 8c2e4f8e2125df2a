"""What was known at a time in the past: the log, folded up to it.

The views of then are made anew, as `rebuild` makes those of now, of the few events that concern one URL, its host and
its origin; so whatever explains the present explains the past.
"""

from dataclasses import dataclass

import msgspec

from hondius.model import (
    AnyEvent,
    Blacklisted,
    Failed,
    Finished,
    FoundCloser,
    Frame,
    HostOrder,
    HostState,
    RobotsCopy,
    RunEnded,
    RunStarted,
    ScopeExtended,
    SeedsTaken,
)
from hondius.native import DiscoveredUrl, Url
from hondius.ports import Catalog, Log
from hondius.settings import PolitenessSettings, Settings
from hondius.use.explain.trace import discovery_in

BATCH = 4_096


@dataclass(frozen=True, slots=True)
class Past:
    """What the log had by then."""

    catalog: Catalog
    found: DiscoveredUrl | None
    run: RunStarted | None
    """The newest that had started."""
    frames: int


def fold(log: Log, url: Url, at: float, catalog: Catalog) -> Past:
    """Into an empty catalog."""
    found: DiscoveredUrl | None = None
    run: RunStarted | None = None
    batch: list[Frame] = []
    frames = 0
    for frame in log.read():
        if frame.at > at:
            break
        frames = frame.number
        closer = discovery_in(frame, url.key)
        if closer is not None and (found is None or closer.depth < found.depth):
            found = closer
        kept = tuple(event for event in frame.events if _concerns(event, url))
        run = next((event for event in reversed(kept) if isinstance(event, RunStarted)), run)
        batch.append(msgspec.structs.replace(frame, events=kept))
        if len(batch) == BATCH:
            catalog.apply(batch)
            batch = []
    catalog.apply(batch)
    return Past(catalog, found, run, frames)


def _concerns(event: AnyEvent, url: Url) -> bool:
    match event:
        case Finished() | Failed():
            return event.key == url.key
        case FoundCloser():
            return url.key in event.data
        case HostState() | HostOrder():
            return event.host == url.host
        case RobotsCopy():
            return event.origin == url.origin
        case ScopeExtended() | SeedsTaken() | Blacklisted() | RunStarted() | RunEnded():
            return True
        case _:
            return False


def settings_then(settings: Settings, run: RunStarted | None) -> Settings:
    """Politeness as the run of then wrote it down; of all else only today's settings are known."""
    if run is None or not run.rules:
        return settings
    known = {name: value for name, value in run.rules.items() if name in PolitenessSettings.__struct_fields__}
    return msgspec.structs.replace(settings, politeness=msgspec.convert(known, PolitenessSettings, strict=False))
