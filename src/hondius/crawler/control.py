"""Orders to a crawl from another process: files in `control/`, each one order, obeyed within a second.

An order's file is removed once its event is durable; a crawl that is killed before obeys it at its next start.
"""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from hondius.clock import Clock
from hondius.errors import HondiusError
from hondius.model import FOREVER, Blacklisted, HostOrder, NewSeeds, Wanted
from hondius.ports import Disk

DIRECTORY = "control"
LARGEST = 64 * 2**20

Order = Blacklisted | HostOrder | Wanted | NewSeeds


def post(disk: Disk, orders: Sequence[Order], number: int) -> None:
    """All or none: where one finds no room, those before it are withdrawn. `number` orders them, the oldest first:
    nanoseconds, but in tests."""
    posted: list[str] = []
    try:
        for order in orders:
            path = f"{DIRECTORY}/{number + len(posted):020}.json"
            disk.replace(path, msgspec.json.encode(order))
            posted.append(path)
    except HondiusError:
        for path in posted:
            disk.remove(path)
        raise


def by_clock(order: Order, clock: Clock) -> Order:
    """The order with its times by the crawl's clock. Whoever gave it looked at the wall clock, which may have been set
    since the crawl began, or since the order was given: none is given in the future."""
    if isinstance(order, Wanted | NewSeeds):
        return order
    at = min(clock.of_wall(order.at), clock.now())
    if isinstance(order, Blacklisted):
        return msgspec.structs.replace(order, at=at)
    until = order.paused_until
    if until is not None and until < FOREVER:
        until += at - order.at
    return msgspec.structs.replace(order, at=at, paused_until=until)


def has_orders(disk: Disk) -> bool:
    """Orders that no run has obeyed yet."""
    return any(name.endswith(".json") for name in disk.list(DIRECTORY))


class Mailbox:
    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._taken: set[str] = set()

    def orders(self) -> Iterator[tuple[Order, Callable[[], None]]]:
        """Each new order, and what to call once it is durable. One that cannot be read is removed."""
        for name in self._disk.list(DIRECTORY):
            if name in self._taken or not name.endswith(".json"):
                continue
            self._taken.add(name)
            done = self._remover(f"{DIRECTORY}/{name}")
            try:
                order = msgspec.json.decode(self._disk.read(f"{DIRECTORY}/{name}", 0, LARGEST), type=Order)
            except msgspec.DecodeError:
                done()
                continue
            yield order, done

    def _remover(self, path: str) -> Callable[[], None]:
        return lambda: self._disk.remove(path)
