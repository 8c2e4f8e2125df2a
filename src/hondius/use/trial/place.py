"""The place of the small crawl: its own stores, combined with what it shares with the real crawl."""

from typing import Any, cast

from hondius.model import Blacklisted, HostOrder, HostState, RobotsCopy
from hondius.ports import Attempts, Catalog, PartitionView, Place


def make_trial_place(scratch: Place, real: Place, view: PartitionView) -> Place:
    """`view` is the view of the real crawl."""
    return cast("Place", TrialPlace(scratch, real, view))


class TrialPlace:
    """`scratch`, with the attempt records of the real crawl, which the trial reads and extends."""

    def __init__(self, scratch: Place, real: Place, view: PartitionView) -> None:
        self._scratch = scratch
        self._real = real
        self._view = view

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scratch, name)

    def attempts(self) -> Attempts:
        return self._real.attempts()

    def open_views(self) -> tuple[PartitionView, Catalog]:
        view, catalog = self._scratch.open_views()
        seen = cast("Catalog", TrialView(view, self._view))
        return seen, seen if catalog is view else catalog


class TrialView:
    """The view of the small crawl, which falls back to that of the real crawl. `frame_of` does not fall back: if the
    clock was set back, waits count from the start of the trial."""

    def __init__(self, own: PartitionView, real: PartitionView) -> None:
        self._own = own
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def host(self, host: str) -> HostState | None:
        return self._own.host(host) or self._real.host(host)

    def robots(self, origin: str) -> RobotsCopy | None:
        return self._own.robots(origin) or self._real.robots(origin)

    def longest_crawl_delay(self) -> float:
        return self._real.longest_crawl_delay()

    def host_orders(self) -> list[HostOrder]:
        return self._real.host_orders()

    def blacklist(self) -> list[Blacklisted]:
        return self._real.blacklist()
