"""Hosts as politeness knows them, and their memory across restarts."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping

from hondius.crawler.politeness.recovery import Sent
from hondius.model import HostOrder, HostState
from hondius.native import host_hash, registrable_domain

MOST_REMEMBERED = 50_000
"""Half a kilobyte each. Whoever is met again after others is read from the catalog."""
AT_ONCE = 4
"""Hosts that are looked at for each new one. Where more are in use than are remembered, a third is added to them."""
SLOW = 1.0
NAME_FAILURE_LASTS = 30.0
"""Seconds; the next try of a name comes later than that."""


class Host:
    """One hostname: its clock, its record, its addresses. Never contacted twice at once (P1)."""

    __slots__ = (
        "addresses",
        "addresses_until",
        "back_off",
        "began",
        "busy",
        "bytes",
        "circuit_openings",
        "circuit_until",
        "claimed",
        "claims",
        "consecutive_failures",
        "crawl_delay",
        "domain",
        "failed",
        "fetched",
        "last_duration",
        "last_ended",
        "name",
        "name_failed_at",
        "name_failures",
        "not_before",
        "ordered_delay",
        "paused_until",
        "queue_waits",
        "recrawled",
        "seconds",
        "unsaved",
        "waiting",
    )

    def __init__(self, name: str, not_before: float, record: HostState | None = None) -> None:
        self.name = name
        self.domain = registrable_domain(name) or name
        self.not_before = not_before
        self.busy = False
        self.began = 0.0
        """When its last turn did."""
        self.waiting = 0
        self.claims = 0
        """Requests that wait for a turn without a queue. They and the queue take turns: neither starves the other."""
        self.claimed = False
        """Its last turn went to a claim that was not its own."""
        self.queue_waits = False
        """Since its last turn, one of its queues wanted a turn while claims were waiting."""
        self.crawl_delay = record.crawl_delay if record else 0.0
        self.addresses: list[str] = []
        self.addresses_until = 0.0
        self.name_failures = 0
        self.name_failed_at = 0.0
        self.unsaved = False
        self.paused_until = 0.0
        self.ordered_delay = 0.0
        self.back_off = record.back_off if record else 0.0
        self.fetched = record.fetched if record else 0
        self.failed = record.failed if record else 0
        self.seconds = record.seconds if record else 0.0
        self.bytes = record.bytes if record else 0
        self.consecutive_failures = record.consecutive_failures if record else 0
        self.last_duration = record.last_duration if record else 0.0
        self.last_ended = record.at if record else 0.0
        """When its last request ended; of an earlier run, when that was written down, which is no earlier."""
        self.circuit_until = record.circuit_until if record else 0.0
        self.circuit_openings = record.circuit_openings if record else 0
        self.recrawled = record.recrawled if record else 0

    @property
    def address(self) -> str | None:
        return self.addresses[0] if self.addresses else None

    @property
    def is_slow(self) -> bool:
        """Its last answer took long, or did not come: the next may, too."""
        return self.last_duration > SLOW or self.consecutive_failures > 0

    def name_failed(self, now: float) -> None:
        """Its origins look the name up side by side: what fails at the same time is one failure."""
        if now >= self.name_failed_at + NAME_FAILURE_LASTS:
            self.name_failures += 1
            self.name_failed_at = now

    def obey(self, order: HostOrder) -> None:
        self.paused_until = order.paused_until or 0.0
        self.ordered_delay = order.delay or 0.0

    def state(self, at: float) -> HostState:
        return HostState(
            host=self.name,
            at=at,
            not_before=self.not_before,
            back_off=self.back_off,
            address=self.address,
            fetched=self.fetched,
            failed=self.failed,
            seconds=self.seconds,
            bytes=self.bytes,
            consecutive_failures=self.consecutive_failures,
            last_duration=self.last_duration,
            crawl_delay=self.crawl_delay,
            circuit_until=self.circuit_until,
            circuit_openings=self.circuit_openings,
            recrawled=self.recrawled,
        )


class Hosts:
    """All hosts in memory.

    A host that an earlier run contacted waits until the later of its clock and the start of this run plus
    the delay. `unfinished` has the requests that were sent but never committed, by host hash, as the
    attempt records tell; those answered 429 or 503 push back as they would have (`push_back`).
    """

    def __init__(
        self,
        *,
        load: Callable[[str], HostState | None],
        delay_of: Callable[[Host], float],
        earliest: float,
        unfinished: Mapping[int, Sent],
        push_back: Callable[[Host, None, float], None],
        orders: Iterable[HostOrder] = (),
    ) -> None:
        self._hosts: OrderedDict[str, Host] = OrderedDict()
        self._load = load
        self._delay_of = delay_of
        self._earliest = earliest
        self._unfinished = unfinished
        self._push_back = push_back
        self._orders = {order.host: order for order in orders}

    def get(self, name: str) -> Host:
        host = self._hosts.get(name)
        if host is None:
            self._forget()
            host = self._hosts[name] = self._remembered(name)
        return host

    def known(self, name: str) -> Host | None:
        """For those who only look: nobody is remembered for it."""
        return self._hosts.get(name)

    def __len__(self) -> int:
        return len(self._hosts)

    def obey(self, order: HostOrder) -> None:
        """What the operator asks of a host holds from now on, also when it is forgotten and met again."""
        self._orders[order.host] = order
        if (host := self._hosts.get(order.host)) is not None:
            host.obey(order)
            host.not_before = max(host.not_before, host.last_ended + self._delay_of(host))

    def saved(self, name: str) -> None:
        """Its newest state is durable."""
        host = self._hosts.get(name)
        if host is not None:
            host.unsaved = False

    def _remembered(self, name: str) -> Host:
        record = self._load(name)
        host = Host(name, record.not_before if record else 0.0, record)
        if (order := self._orders.get(name)) is not None:
            host.obey(order)
        sent = self._unfinished.get(host_hash(name.strip("[]"))) if self._unfinished else None
        if sent is not None:
            host.last_duration = sent.duration
            host.last_ended = max(host.last_ended, sent.ended_at)
            for at in sent.pushed_back:
                if record is None or at >= record.at:
                    self._push_back(host, None, at)
        if record is not None or sent is not None:
            host.not_before = max(host.not_before, host.last_ended + self._delay_of(host), self._earliest)
        return host

    def _forget(self) -> None:
        """Where there are many, drops of the first ones what nobody needs: idle, saved, and not waiting for anything.
        A few at a time: no answer waits for it."""
        for _ in range(min(AT_ONCE, len(self._hosts) - MOST_REMEMBERED + 1)):
            name, host = self._hosts.popitem(last=False)
            if host.busy or host.waiting or host.unsaved:
                self._hosts[name] = host
