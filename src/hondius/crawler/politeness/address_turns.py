"""Turns at addresses: few requests at once and spaced, whichever hosts they are for (P3).

A host knows when it may be contacted; here it is decided when its address may, and who waits for both.
"""

from functools import lru_cache

from hondius.clock import Clock
from hondius.crawler.politeness.host import LONGEST_CLAIM, Host
from hondius.settings import PolitenessSettings

SHORTEST_GAP = 0.01
"""Seconds until an address that is taken is asked about again."""
SHORTEST_WAIT = 0.02
MOST_BARE = 1_024
"""Addresses that are remembered without their port: each is asked for several times a request."""


class TooLong(Exception):
    """The turn is too far away to be waited for."""


class Address:
    __slots__ = ("in_use", "last_host", "last_start", "promised", "start_before")

    def __init__(self) -> None:
        self.in_use = 0
        self.last_start = 0.0
        self.last_host: Host | None = None
        """The host of the last start, which can give it back."""
        self.start_before = 0.0
        self.promised = 0.0
        """The last time that a host was told to come back at."""


class AddressTurns:
    def __init__(self, settings: PolitenessSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._waits = settings.delay > 0
        self._addresses: dict[str, Address] = {}
        self.claims = 0
        """How many wait in `claim`."""
        self.are_over = False
        """The run ends: whoever claims a turn gets none any more."""

    def ready_at(self, host: Host, address: str, now: float) -> float:
        """When a request may start; `now` or earlier means at once. A busy host is asked about when it is free."""
        when = host.free_at()
        turn = self._addresses.get(bare(address))
        if turn is None:
            return when
        if turn.in_use >= self._settings.address_concurrency:
            when = max(when, now + max(self._settings.address_gap, SHORTEST_GAP))
        if self._waits:
            when = max(when, turn.last_start + self._settings.address_gap)
        return when

    def come_back_at(self, host: Host, address: str, now: float) -> float:
        """`ready_at`, and where the address is taken, a time for this host alone: hosts that share an address come back
        one after the other, not all at once."""
        when = self.ready_at(host, address, now)
        if when <= now:
            return when
        turn = self._addresses.get(bare(address))
        if turn is None or host.free_at() > now:
            return when
        turn.promised = max(when, turn.promised + max(self._settings.address_gap, SHORTEST_GAP))
        return turn.promised

    def begin(self, host: Host, address: str, now: float, *, claimed: bool = False) -> None:
        host.begin(now, claimed=claimed)
        self._take(host, address, now)

    def cancel(self, host: Host, address: str) -> None:
        """Nothing was sent: the clocks are as they were before."""
        host.cancel()
        turn = self._addresses.get(bare(address))
        if turn is not None and turn.last_host is host:
            turn.last_start, turn.last_host = turn.start_before, None
        self.leave(address)

    def abandon(self, host: Host, address: str) -> None:
        """After an exception: ends the turn unless it has ended. Otherwise nobody could contact the host again."""
        if host.busy:
            host.abandon(self._clock.now())
            self.leave(address)

    async def claim(self, host: Host, address: str, *, is_own: bool = False) -> None:
        """Waits for a turn without a queue, to request a robots.txt. `is_own`: it is that of the host, on behalf of
        its queue; otherwise another host redirected us here. Claims of others and the host's own requests alternate.
        Raises TooLong where the turn would not come soon."""
        if not is_own and host.refuses_claim():
            raise TooLong(
                f"{host.claims} other robots.txt files are redirected to {host.name} and wait for a turn there"
            )
        host.add_claim()
        self.claims += 1
        try:
            while True:
                now = self._clock.now()
                when = self.ready_at(host, address, now)
                if host.offer_claim(when, now, is_own=is_own) and not self.are_over:
                    return self.begin(host, address, now, claimed=not is_own)
                if when > max(now, host.paced_until()) + LONGEST_CLAIM:
                    raise TooLong(f"{host.name} may not be contacted for {when - now:.0f} s")
                await self._clock.sleep_until(max(when, now + SHORTEST_WAIT))
        finally:
            host.remove_claim()
            self.claims -= 1

    async def visit(self, host: Host, address: str, until: float) -> bool:
        """The turn that the host has goes on at another of its addresses, which must have one to give (P3); `leave`
        ends it there. False: it would not come before `until`."""
        while True:
            now = self._clock.now()
            when = self.ready_at(host, address, now)
            if max(when, now) >= until:
                return False
            if when <= now:
                self._take(host, address, now)
                return True
            await self._clock.sleep_until(max(when, now + SHORTEST_WAIT))

    def leave(self, address: str) -> None:
        """A request to this address is over."""
        name = bare(address)
        turn = self._addresses.get(name)
        if turn is None:
            return
        turn.in_use -= 1
        if turn.in_use <= 0 and (not self._waits or len(self._addresses) > 10_000):
            self._drop_idle(name)

    def _take(self, host: Host, address: str, now: float) -> None:
        name = bare(address)
        turn = self._addresses.get(name)
        if turn is None:
            turn = self._addresses[name] = Address()
        turn.in_use += 1
        turn.start_before, turn.last_start, turn.last_host = turn.last_start, now, host

    def _drop_idle(self, name: str) -> None:
        if not self._waits:
            del self._addresses[name]
            return
        old = self._clock.now() - self._settings.address_gap
        self._addresses = {
            name: turn for name, turn in self._addresses.items() if turn.in_use > 0 or turn.last_start > old
        }


@lru_cache(maxsize=MOST_BARE)
def bare(address: str) -> str:
    """The address without its port: `127.0.0.1:80` and `[::1]:80`."""
    return address.rpartition(":")[0]
