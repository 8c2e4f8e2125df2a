"""Orders, in memory."""

from collections.abc import Callable, Iterator, Sequence

from hondius.model import Order
from hondius.stores.orders.plausible import find_fault


class MemoryOrders:
    """All objects with the same dictionary share its orders."""

    def __init__(self, posted: dict[int, Order]) -> None:
        self._posted = posted
        self._taken: set[int] = set()

    def post(self, orders: Sequence[Order], number: int) -> None:
        self._posted.update(enumerate(orders, number))

    def has_any(self) -> bool:
        return bool(self._posted)

    def orders(self) -> Iterator[tuple[Order, Callable[[], None]]]:
        for number in sorted(self._posted.keys() - self._taken):
            self._taken.add(number)
            if find_fault(self._posted[number]):
                self._posted.pop(number)
                continue
            yield self._posted[number], self._make_remover(number)

    def _make_remover(self, number: int) -> Callable[[], None]:
        def remove() -> None:
            self._posted.pop(number, None)

        return remove
