"""The operator's orders: to pause a host, slow it down, or never contact it again."""

from collections.abc import Sequence
from typing import TypeVar

from hondius.model import AnyEvent, Blacklisted, HostOrder
from hondius.native import host_hash
from hondius.use.audit.rules import OBEYED_WITHIN

Order = TypeVar("Order", HostOrder, Blacklisted)


class Orders:
    """An order applies from two seconds after its commit until the next one. There are few, and all are kept."""

    def __init__(self) -> None:
        self._of_host: dict[int, list[tuple[float, HostOrder]]] = {}
        self._of_domain: dict[str, list[tuple[float, Blacklisted]]] = {}

    def observe(self, event: AnyEvent, committed: float) -> None:
        if isinstance(event, HostOrder):
            self._of_host.setdefault(hash_host(event.host), []).append((committed + OBEYED_WITHIN, event))
        elif isinstance(event, Blacklisted):
            self._of_domain.setdefault(event.domain.lower(), []).append((committed + OBEYED_WITHIN, event))

    @property
    def has_blacklist(self) -> bool:
        return bool(self._of_domain)

    def find_for_host(self, number: int, at: float) -> HostOrder | None:
        return _find_binding(self._of_host.get(number, ()), at) if self._of_host else None

    def find_blacklisting(self, host: str, at: float) -> Blacklisted | None:
        """The entry that covers a host: its own, or that of a parent domain."""
        name = host if self._of_domain else ""
        while name:
            entry = _find_binding(self._of_domain.get(name, ()), at)
            if entry is not None and not entry.lifted:
                return entry
            name = name.partition(".")[2]
        return None


def _find_binding(orders: Sequence[tuple[float, Order]], at: float) -> Order | None:
    for binds_from, order in reversed(orders):
        if order.at <= at:
            return order if binds_from <= at else None
    return None


def hash_host(host: str) -> int:
    """The hash in attempt records, which omits the brackets of IPv6 and a final dot."""
    return host_hash(host.rstrip(".").removeprefix("[").removesuffix("]"))
