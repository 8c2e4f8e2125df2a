"""All hosts in memory. Idle hosts are forgotten, and read from the view when they are needed again (F3)."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from hondius.crawler.politeness.asking import Ask, ask_inline
from hondius.crawler.politeness.host import Host
from hondius.crawler.politeness.recovery import Sent
from hondius.model import HostOrder, HostState
from hondius.native import host_hash
from hondius.settings import PolitenessSettings

MOST_REMEMBERED = 20_000
"""Three quarters of a kilobyte each, with addresses. Twice as many as the origins that are awake at first."""
AT_ONCE = 4
"""Hosts that are checked for each new one. If more are in use than may be remembered, the table grows by up to a
third."""


class Hosts:
    """A host that an earlier run contacted waits for its clock, and at least until the start of this run plus the delay
    (`earliest`). `unfinished`: requests that were sent but never committed, by host hash, from the attempt records.
    Those answered with 429 or 503 push the host back."""

    def __init__(
        self,
        settings: PolitenessSettings,
        *,
        load: Callable[[str], HostState | None],
        earliest: float,
        unfinished: Mapping[int, Sent],
        orders: Iterable[HostOrder] = (),
        ask: Ask = ask_inline,
        view_may_know: bool = True,
    ) -> None:
        """`load` reads the state of a host from the view, and blocks; `ask` runs it on a thread that may wait.
        `view_may_know`: whether the view may know a host that is not in memory."""
        self._settings = settings
        self._hosts: OrderedDict[str, Host] = OrderedDict()
        self._load = load
        self._earliest = earliest
        self._unfinished = unfinished
        self._orders = {order.host: order for order in orders}
        self._ask = ask
        self._view_may_know = view_may_know

    def get(self, name: str) -> Host:
        """Blocks if the host must be read. On the event loop use `get_loaded` or `load`."""
        return self.get_loaded(name) or self.learn(name, self._load(name))

    def get_loaded(self, name: str) -> Host | None:
        """The host if it is in memory or new. None if it must be read first."""
        host = self._hosts.get(name)
        return host if host is not None or self._view_may_know else self.learn(name, None)

    async def load(self, name: str) -> Host:
        """If the host came into memory during the read, that one is returned."""
        return self.get_loaded(name) or self.learn(name, await self._ask(partial(self._load, name)))

    def read(self, name: str) -> HostState | None:
        """The state of a host in the view. Blocks; any thread may call it."""
        return self._load(name)

    def learn(self, name: str, record: HostState | None) -> Host:
        """`record` has just been read. If the host came into memory meanwhile, that one is used: it is newer."""
        host = self._hosts.get(name)
        if host is None:
            self._forget_idle()
            host = self._hosts[name] = self._restore(name, record)
        return host

    def find(self, name: str) -> Host | None:
        """The host if it is in memory. Reads nothing."""
        return self._hosts.get(name)

    def __len__(self) -> int:
        return len(self._hosts)

    def obey(self, order: HostOrder) -> None:
        """The order stays in force if the host is forgotten and loaded again."""
        self._orders[order.host] = order
        if (host := self._hosts.get(order.host)) is not None:
            host.obey(order)

    def mark_saved(self, name: str) -> None:
        """Its newest state is durable."""
        if (host := self._hosts.get(name)) is not None:
            host.mark_saved()

    def _restore(self, name: str, record: HostState | None) -> Host:
        host = Host(name, self._settings, record, self._orders.get(name))
        sent = self._unfinished.get(host_hash(name.strip("[]"))) if self._unfinished else None
        if record is not None or sent is not None:
            host.restore(sent, self._earliest)
        return host

    def _forget_idle(self) -> None:
        """If there are too many, drops idle hosts, oldest first. Only a few per call, so that no answer waits for
        it."""
        for _ in range(min(AT_ONCE, len(self._hosts) - MOST_REMEMBERED + 1)):
            name, host = self._hosts.popitem(last=False)
            if host.is_needed:
                self._hosts[name] = host
            elif host.is_stored:
                self._view_may_know = True
