"""A host that has several addresses: where one cannot be connected to, the next is tried (RFC 8305, one at a time).

All tries are one turn of the host (P1): no byte of a request was sent before the last of them. Each takes its own turn
at its address (P3) and has its own attempt record; together they take no longer than the total time-out. The address
that worked is tried first next time, while the DNS answer holds that named it.
"""

from collections.abc import Awaitable, Callable
from math import inf

from hondius.clock import Clock
from hondius.crawler.politeness.address_turns import AddressTurns
from hondius.crawler.politeness.failures import NOT_SENT
from hondius.crawler.politeness.host import Host
from hondius.native import Fetched

UNCONNECTED = frozenset({"connect_refused", "connect_failed", "connect_timeout", "tls_failed", "address_refused"})
"""Failures before a byte of the request was sent. A TLS handshake is none of the request: another address may have the
right certificate. A proxy that fails would fail for every address, so `proxy_failed` is not one of them."""
MOST_TRIES = 8
"""Addresses tried in one turn."""
LEAST_LEFT = 0.1
"""Seconds: with less than this of the total time-out left nobody is tried any more."""

Ask = Callable[[str, float], Awaitable[Fetched]]
"""Makes the request at an address, within so many seconds in all."""


class Addresses:
    def __init__(self, turns: AddressTurns, clock: Clock, total_timeout: float, banned: Callable[[str], bool]) -> None:
        """`banned`: whether a host, by its name, is on the blacklist."""
        self._turns = turns
        self._clock = clock
        self._total_timeout = total_timeout
        self._banned = banned

    async def try_others(
        self, host: Host, address: str, fetched: Fetched, ask: Ask, allowed_until: float = inf
    ) -> Fetched:
        """Tries the host's other addresses if `fetched` failed at `address` before a byte was sent, unless the host is
        on the blacklist by then, or the robots.txt that allows the request has expired (`allowed_until`, B2). The turn
        is that of `address` all the while; the caller ends it."""
        if fetched.failure not in UNCONNECTED:
            return fetched
        ends = fetched.started_at + self._total_timeout
        for other in [one for one in host.addresses if one != address][: MOST_TRIES - 1]:
            if not await self._turns.continue_at(host, other, min(ends - LEAST_LEFT, allowed_until)):
                return fetched
            try:
                if self._banned(host.name):
                    return fetched
                tried = await ask(other, ends - self._clock.now())
            finally:
                self._turns.release(other)
            if tried.failure == NOT_SENT:
                return fetched
            fetched = tried
            if fetched.failure not in UNCONNECTED:
                host.prefer(other)
                return fetched
        return fetched
