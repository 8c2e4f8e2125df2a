"""All hosts in memory. Idle ones are forgotten and read back when they are met again (F3)."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from hondius.crawler.politeness.asking import Ask, ask_inline
from hondius.crawler.politeness.host import Host
from hondius.crawler.politeness.recovery import Sent
from hondius.model import HostOrder, HostState
from hondius.native import host_hash
from hondius.settings import PolitenessSettings

MOST_REMEMBERED = 50_000
"""Half a kilobyte each."""
AT_ONCE = 4
"""Hosts that are looked at for each new one. Where more are in use than are remembered, a third is added to them."""


class Hosts:
    """A host that an earlier run contacted waits until the later of its clock and the start of this run plus the delay
    (`earliest`). `unfinished` has the requests that were sent but never committed, by host hash, as the attempt records
    tell; those answered 429 or 503 push back as they would have.
    """

    def __init__(
        self,
        settings: PolitenessSettings,
        *,
        load: Callable[[str], HostState | None],
        earliest: float,
        unfinished: Mapping[int, Sent],
        orders: Iterable[HostOrder] = (),
        ask: Ask = ask_inline,
        are_written: bool = True,
    ) -> None:
        """`load` reads what the view has of a host, and blocks; `ask` does that on a thread that may wait.
        `are_written`: whether the view may know a host that is not in memory."""
        self._settings = settings
        self._hosts: OrderedDict[str, Host] = OrderedDict()
        self._load = load
        self._earliest = earliest
        self._unfinished = unfinished
        self._orders = {order.host: order for order in orders}
        self._ask = ask
        self._are_written = are_written

    def get(self, name: str) -> Host:
        """Blocks if it must be read. On the event loop use `get_loaded` or `load`."""
        return self.get_loaded(name) or self.learn(name, self._load(name))

    def get_loaded(self, name: str) -> Host | None:
        """The host if it is in memory, or new. None: it must be read first."""
        host = self._hosts.get(name)
        return host if host is not None or self._are_written else self.learn(name, None)

    async def load(self, name: str) -> Host:
        """Whoever goes on without a wait has the host that is in memory."""
        return self.get_loaded(name) or self.learn(name, await self._ask(partial(self._load, name)))

    def read(self, name: str) -> HostState | None:
        """What the view has of it. Blocks; any thread may call it."""
        return self._load(name)

    def learn(self, name: str, record: HostState | None) -> Host:
        """`record` was read just now. If the host came into memory meanwhile, that one counts: it is newer."""
        host = self._hosts.get(name)
        if host is None:
            self._forget_idle()
            host = self._hosts[name] = self._restore(name, record)
        return host

    def find(self, name: str) -> Host | None:
        """The host if it is in memory. Nothing is read for it."""
        return self._hosts.get(name)

    def __len__(self) -> int:
        return len(self._hosts)

    def obey(self, order: HostOrder) -> None:
        """What the operator asks of a host holds from now on, also when it is forgotten and met again."""
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
        """Where there are many, drops of the first ones those that nobody needs. A few at a time: no answer waits for
        it."""
        for _ in range(min(AT_ONCE, len(self._hosts) - MOST_REMEMBERED + 1)):
            name, host = self._hosts.popitem(last=False)
            if host.is_needed:
                self._hosts[name] = host
            else:
                self._are_written = True
