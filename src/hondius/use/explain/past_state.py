"""The state of the crawl at an earlier time, replayed from the log.

A catalog of that time is rebuilt from the few events that concern one URL, its host and its origin. So the code that
explains the present also explains the past.
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
from hondius.use.explain.trace import find_discovery

BATCH = 4_096


@dataclass(frozen=True, slots=True)
class PastState:
    """What the log contained at that time."""

    catalog: Catalog
    found: DiscoveredUrl | None
    run: RunStarted | None
    """The latest run that had started."""
    frames: int


def replay_log(log: Log, url: Url, at: float, catalog: Catalog) -> PastState:
    """Applies the relevant events up to `at` to an empty catalog."""
    found: DiscoveredUrl | None = None
    run: RunStarted | None = None
    batch: list[Frame] = []
    frames = 0
    for frame in log.read():
        if frame.at > at:
            break
        frames = frame.number
        closer = find_discovery(frame, url.key)
        if closer is not None and (found is None or closer.depth < found.depth):
            found = closer
        kept = tuple(event for event in frame.events if _is_relevant(event, url))
        run = next((event for event in reversed(kept) if isinstance(event, RunStarted)), run)
        batch.append(msgspec.structs.replace(frame, events=kept))
        if len(batch) == BATCH:
            catalog.apply(batch)
            batch = []
    catalog.apply(batch)
    return PastState(catalog, found, run, frames)


def _is_relevant(event: AnyEvent, url: Url) -> bool:
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


def restore_settings(settings: Settings, run: RunStarted | None) -> Settings:
    """Replaces the politeness settings by those that the run recorded. Other settings of the past are unknown."""
    if run is None or not run.rules:
        return settings
    known = {name: value for name, value in run.rules.items() if name in PolitenessSettings.__struct_fields__}
    return msgspec.structs.replace(settings, politeness=msgspec.convert(known, PolitenessSettings, strict=False))
