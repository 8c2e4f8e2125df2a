"""Finds the partition of the log to which an event belongs.

An event about a URL, a host or an origin belongs to the partition of its registrable domain. An event about the whole
crawl (runs, seeds, scope, blacklist, lengths of files) belongs to partition 0, which will be the control topic in a
cluster.
"""

from collections.abc import Callable

from hondius.model import (
    AnyEvent,
    Archived,
    Discovered,
    Extracted,
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
"""Events that precede whatever depends on them: the events of a run, a page inside the scope, a place in a file."""
BESIDE = (Finished, RefusedMore, RobotsHop, *FIRST)
"""Events that accompany the subject of an outcome: refused links, requests after a redirect."""
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
            case LeftOut() | JudgedAgain() | Reread() | LinksRestored() | Extracted():
                return self._route_key(event.key)
            case Reprioritised():
                return self._route_key(event.data[_VERSION : _VERSION + _KEY])
            case Discovered() | FoundCloser():
                return self.route_url(decode_discoveries(event.data)[0].href)
        return WHOLE_CRAWL

    def route_url(self, href: str) -> int:
        return partition_of_url(href, self._partitions)

    def _route_key(self, key: bytes) -> int:
        """An unknown URL has no partition of its own."""
        partition = self._find(key)
        return WHOLE_CRAWL if partition is None else partition
