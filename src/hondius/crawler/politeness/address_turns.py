"""Turns of hosts at their addresses, and the claims that wait for them.

A host knows when it may be contacted, and `Turns` knows when its address may (P3). A turn of both begins here.
"""

from functools import lru_cache

from hondius.clock import Clock
from hondius.crawler.politeness.host import LONGEST_CLAIM, Host
from hondius.ports import Turns

SHORTEST_WAIT = 0.02
MOST_BARE = 1_024
"""Addresses whose form without a port is cached: each is needed several times per request."""


class TooLong(Exception):
    """The turn comes too late to wait for it."""


class AddressTurns:
    def __init__(self, turns: Turns, clock: Clock) -> None:
        self._turns = turns
        self._clock = clock
        self.claims = 0
        """How many callers wait in `claim`."""
        self.is_over = False
        """The run is ending: no claim gets a turn any more."""

    def ready_at(self, host: Host, address: str, now: float) -> float:
        """When a request may start; `now` or earlier means at once. Ask only about a host that is not busy."""
        return max(host.free_at(), self._turns.ask(strip_port(address), now))

    def come_back_at(self, host: Host, address: str, now: float) -> float:
        """Like `ready_at`, but if the address is taken, each caller gets a different time: hosts that share an address
        come back one after the other, not all at once."""
        free_at = host.free_at()
        if free_at > now:
            return max(free_at, self._turns.ask(strip_port(address), now))
        return max(free_at, self._turns.come_back_at(strip_port(address), now))

    def begin(self, host: Host, address: str, now: float, *, claimed: bool = False) -> None:
        host.begin(now, claimed=claimed)
        self._begin_at(host, address, now)

    def cancel(self, host: Host, address: str) -> None:
        """Nothing was sent: the clocks are as they were before."""
        host.cancel()
        self._turns.cancel(strip_port(address), host.name)

    def abandon(self, host: Host, address: str) -> None:
        """After an exception: ends the turn, unless it has already ended. Otherwise the host could never be contacted
        again."""
        if host.busy:
            host.abandon(self._clock.now())
            self.release(address)

    async def claim(self, host: Host, address: str, *, is_own: bool = False) -> None:
        """Waits for a turn without a queue, to request a robots.txt. `is_own`: the robots.txt is the host's own,
        requested on behalf of its queue; otherwise another host redirected us here. Claims of other hosts alternate
        with the host's own requests. Raises TooLong if the turn would not come soon."""
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
                if host.may_serve_claim(when, now, is_own=is_own) and not self.is_over:
                    return self.begin(host, address, now, claimed=not is_own)
                if when > max(now, host.paced_until()) + LONGEST_CLAIM:
                    raise TooLong(f"{host.name} may not be contacted for {when - now:.0f} s")
                await self._clock.sleep_until(max(when, now + SHORTEST_WAIT))
        finally:
            host.remove_claim()
            self.claims -= 1

    async def continue_at(self, host: Host, address: str, until: float) -> bool:
        """Continues the host's turn at another of its addresses, once that address has a turn to give (P3). `release`
        ends it there. Returns False if the turn would not come before `until`."""
        while True:
            now = self._clock.now()
            when = self.ready_at(host, address, now)
            if max(when, now) >= until:
                return False
            if when <= now:
                self._begin_at(host, address, now)
                return True
            await self._clock.sleep_until(max(when, now + SHORTEST_WAIT))

    def release(self, address: str) -> None:
        """A request to this address is over."""
        self._turns.end(strip_port(address))

    def _begin_at(self, host: Host, address: str, now: float) -> None:
        self._turns.begin(strip_port(address), host.name, now)


@lru_cache(maxsize=MOST_BARE)
def strip_port(address: str) -> str:
    """The address without its port: `127.0.0.1:80` and `[::1]:80`."""
    return address.rpartition(":")[0]
