"""Bugs to be found: each takes one protection away, and the simulation must notice.

A plant changes the product for as long as it is in the ground; nothing of it is in the product itself.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from hondius.crawler.politeness.hosts import Host, Hosts
from hondius.native import Discoveries, UrlStore, decode_discoveries
from hondius.stores.disk.simulated import SimulatedDisk
from hondius.stores.log.embedded import EmbeddedLog
from tests.simulation.machine import Machine


@contextmanager
def clock_not_restarted() -> Iterator[None]:
    """After a start every host may be contacted at once, whatever happened before it."""

    def forgetful(hosts: Hosts, name: str) -> Host:
        return Host(name, 0.0, hosts._load(name))

    with patch.object(Hosts, "_remembered", forgetful):
        yield


@contextmanager
def view_ahead_of_the_log() -> Iterator[None]:
    """Frames are handed to the views before they are synced."""

    def unsynced(log: EmbeddedLog, path: str, data: bytes) -> None:
        log._disk.append(path, data)

    with patch.object(EmbeddedLog, "_write", unsynced):
        yield


@contextmanager
def no_overlay() -> Iterator[None]:
    """What a page names is written down as known at once, before any frame has it."""
    trees: dict[int, set[bytes]] = {}

    def opened(machine: Machine) -> Any:
        machine._urls = UrlStore(machine._tree, capacity=2_000, cached_keys=256)
        return Eager(machine._urls, trees.setdefault(id(machine._tree), set()))

    with patch.object(Machine, "_open_urls", opened):
        yield


class Eager:
    """A URL store whose tree holds keys that no frame has; `written` outlives it."""

    def __init__(self, store: UrlStore, written: set[bytes]) -> None:
        self._store = store
        self._written = written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def admit(self, urls: Any, policy: Any, **more: Any) -> Discoveries:
        fresh = [(href, key) for href, key in urls if key not in self._written or more["via"] == "recrawl"]
        found = self._store.admit(fresh, policy, **more)
        self._written.update(url.key for url in decode_discoveries(found.data))
        return found

    def admit_links(self, fetched: Any, policy: Any, **more: Any) -> Discoveries:
        found = self._store.admit_links(fetched, policy, **more)
        self._store.forget_pending([found.data])
        more.pop("follow_nofollow", None)
        urls = [(url.href, url.key) for url in decode_discoveries(found.data)]
        return self.admit(urls, policy, **more, via="link", source=fetched.key)


@contextmanager
def no_sync() -> Iterator[None]:
    """The drive's cache is trusted: nothing is ever synced."""

    def nothing(disk: SimulatedDisk, path: str) -> None:
        disk._crashes()

    with patch.object(SimulatedDisk, "sync", nothing):
        yield


PLANTS: dict[str, Callable[[], Any]] = {
    "clock_not_restarted": clock_not_restarted,
    "view_ahead_of_the_log": view_ahead_of_the_log,
    "no_overlay": no_overlay,
    "no_sync": no_sync,
}
