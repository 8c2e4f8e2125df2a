"""Hosts with several addresses: if one address cannot be connected to, the next is tried (RFC 8305, one at a time).

All tries belong to one turn of the host (P1): no byte of a request was sent before the last try. Each try takes its own
turn at its address (P3) and has its own attempt record. Together they take no longer than the total time-out. The
address that worked is tried first next time, as long as the DNS answer that named it is valid.
"""

from collections.abc import Awaitable, Callable
from math import inf

from hondius.clock import Clock
from hondius.crawler.politeness.address_turns import AddressTurns
from hondius.crawler.politeness.failures import NOT_SENT
from hondius.crawler.politeness.host import Host
from hondius.native import Fetched

UNCONNECTED = frozenset({"connect_refused", "connect_failed", "connect_timeout", "tls_failed", "address_refused"})
"""Failures that occur before a byte of the request is sent. A TLS handshake is not part of the request: another address
may have the right certificate. `proxy_failed` is missing because a broken proxy fails for every address."""
MOST_TRIES = 8
"""Addresses tried in one turn."""
LEAST_LEFT = 0.1
"""Seconds. If less than this is left of the total time-out, no other address is tried."""

Send = Callable[[str, float], Awaitable[Fetched]]
"""Sends the request to an address, with this many seconds left."""


class Addresses:
    def __init__(
        self, turns: AddressTurns, clock: Clock, total_timeout: float, is_banned: Callable[[str], bool]
    ) -> None:
        """`is_banned`: whether a host, by its name, is on the blacklist."""
        self._turns = turns
        self._clock = clock
        self._total_timeout = total_timeout
        self._is_banned = is_banned

    async def try_others(
        self, host: Host, address: str, fetched: Fetched, ask: Send, allowed_until: float = inf
    ) -> Fetched:
        """Tries the host's other addresses if `fetched` failed at `address` before a byte was sent. Stops if the host
        is on the blacklist by then, or if the robots.txt that allows the request has expired (`allowed_until`, B2). The
        turn stays that of `address`; the caller ends it."""
        if fetched.failure not in UNCONNECTED:
            return fetched
        ends = fetched.started_at + self._total_timeout
        for other in [one for one in host.addresses if one != address][: MOST_TRIES - 1]:
            if not await self._turns.continue_at(host, other, min(ends - LEAST_LEFT, allowed_until)):
                return fetched
            try:
                if self._is_banned(host.name):
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
