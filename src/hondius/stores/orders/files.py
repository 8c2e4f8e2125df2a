"""Orders, as files in `control/`."""

import logging
from collections.abc import Callable, Iterator, Sequence

import msgspec

from hondius.errors import HondiusError
from hondius.model import Order
from hondius.ports import Disk
from hondius.stores.orders.plausible import find_fault

DIRECTORY = "control"
LARGEST = 64 * 2**20

_log = logging.getLogger("hondius.stores.orders")


class OrderFiles:
    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._taken: set[str] = set()

    def post(self, orders: Sequence[Order], number: int) -> None:
        """If the disk is full, removes the orders that it has already written."""
        posted: list[str] = []
        try:
            for order in orders:
                path = f"{DIRECTORY}/{number + len(posted):020}.json"
                self._disk.replace(path, msgspec.json.encode(order))
                posted.append(path)
        except HondiusError:
            for path in posted:
                self._disk.remove(path)
            raise

    def has_any(self) -> bool:
        return any(name.endswith(".json") for name in self._disk.list(DIRECTORY))

    def orders(self) -> Iterator[tuple[Order, Callable[[], None]]]:
        """Removes orders that cannot be read or that no command can have given, with a warning."""
        for name in self._disk.list(DIRECTORY):
            if name in self._taken or not name.endswith(".json"):
                continue
            self._taken.add(name)
            done = self._make_remover(f"{DIRECTORY}/{name}")
            order = self._decode(name)
            fault = "it cannot be decoded" if order is None else find_fault(order)
            if order is None or fault:
                _log.warning("%s/%s is not an order of Hondius and is ignored: %s", DIRECTORY, name, fault)
                done()
                continue
            yield order, done

    def _decode(self, name: str) -> Order | None:
        try:
            order: Order = msgspec.json.decode(self._disk.read(f"{DIRECTORY}/{name}", 0, LARGEST), type=Order)
        except (msgspec.DecodeError, RecursionError):
            return None
        return order

    def _make_remover(self, path: str) -> Callable[[], None]:
        return lambda: self._disk.remove(path)
