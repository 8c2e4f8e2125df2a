"""To which partition of the log an event belongs.

What concerns a URL, a host or an origin belongs to the partition of its registrable domain; what concerns the whole
crawl (runs, seeds, scope, blacklist, lengths of files), to partition 0. In a cluster that will be the control topic.
"""

from collections.abc import Callable

from hondius.model import (
    AnyEvent,
    Archived,
    Discovered,
    Failed,
    Finished,
    FoundCloser,
    HostOrder,
    HostState,
    JudgedAgain,
    LeftOut,
    LinksKept,
    LinksRestored,
    RefusedMore,
    Reprioritised,
    Reread,
    RobotsCopy,
    RobotsHop,
    RunStarted,
    ScopeExtended,
)
from hondius.native import decode_discoveries, partition_of, partition_of_url

WHOLE_CRAWL = 0
FIRST = (RunStarted, ScopeExtended, Archived, LinksKept)
"""Comes before whatever relies on it: the events of its run, a page that is inside its scope, a place in its file."""
BESIDE = (Finished, RefusedMore, RobotsHop, *FIRST)
"""What stands beside the event that an outcome is about: links that were refused, requests that a redirect led to."""
_VERSION = 1
_KEY = 16


class Router:
    def __init__(self, partitions: int, find: Callable[[bytes], int | None]) -> None:
        """`find`: the partition of a URL, by its key."""
        self._partitions = partitions
        self._find = find

    def route_event(self, event: AnyEvent) -> int:
        match event:
            case Finished() | Failed() | RefusedMore() | HostState() | HostOrder():
                return partition_of(event.host, self._partitions)
            case RobotsCopy():
                return self.route_url(f"{event.origin}/")
            case RobotsHop():
                return self.route_url(event.source)
            case LeftOut(origin=origin) | JudgedAgain(origin=origin) if origin:
                return self.route_url(f"{origin}/")
            case LeftOut() | JudgedAgain() | Reread() | LinksRestored():
                return self._route_key(event.key)
            case Reprioritised():
                return self._route_key(event.data[_VERSION : _VERSION + _KEY])
            case Discovered() | FoundCloser():
                return self.route_url(decode_discoveries(event.data)[0].href)
        return WHOLE_CRAWL

    def route_url(self, href: str) -> int:
        return partition_of_url(href, self._partitions)

    def _route_key(self, key: bytes) -> int:
        """A URL that nobody knows has no partition of its own."""
        partition = self._find(key)
        return WHOLE_CRAWL if partition is None else partition
