"""Gets what a host needs before its URLs are ready: an address, then robots.txt.

This runs beside the journeys. While a host is resolved or its robots.txt is fetched, it occupies no fetch slot, and its
URLs stay in their queue.
"""

from collections.abc import Callable

from hondius.clock import Clock
from hondius.crawler.politeness.address_turns import AddressTurns, TooLong
from hondius.crawler.politeness.failures import STALE_CONNECTION
from hondius.crawler.politeness.host import Host
from hondius.crawler.politeness.names import Names, Unresolved
from hondius.crawler.politeness.robots import RobotsCache, Rules
from hondius.crawler.politeness.robots_requests import Exchange, Forbidden, RobotsRequests
from hondius.model import RobotsCopy
from hondius.native import Fetched, Identity, Url

MOST_HOPS = 5
SOON = 0.05


Record = Callable[[RobotsCopy, list[Exchange]], None]


class NotYet(Exception):
    """Neither the host nor its address has a turn for a robots.txt before `when`."""

    def __init__(self, when: float) -> None:
        super().__init__(when)
        self.when = when


class Gate:
    def __init__(
        self,
        *,
        names: Names,
        turns: AddressTurns,
        robots: RobotsCache,
        requests: RobotsRequests,
        identity: Identity,
        record: Record,
        clock: Clock,
    ) -> None:
        self._names = names
        self._turns = turns
        self._robots = robots
        self._requests = requests
        self._identity = identity
        self._record = record
        self._clock = clock

    async def find_address(self, host: Host) -> str:
        """A valid address of the host, resolved if necessary. Raises Unresolved."""
        return await self._names.resolve(host)

    async def find_rules(self, host: Host, origin: str, address: str) -> Rules | None:
        """The rules of an origin, requested if necessary. Raises NotYet and NotSent."""
        rules = await self._robots.load(origin)
        now = self._clock.now()
        if self._robots.find_fresh(origin, now) is None:
            host.follow_rules(rules)
            when = self._turns.come_back_at(host, address, now)
            if host.busy or when > now:
                raise NotYet(max(when, now + SOON))
            await self.fetch_robots(host, origin)
        return self._robots.find(origin)

    async def fetch_robots(self, host: Host, origin: str) -> None:
        """Fetches robots.txt, following redirects, also to other hosts (B2). Each request is polite. Raises NotSent."""
        exchanges: list[Exchange] = []
        try:
            await self._fetch_robots(host, origin, exchanges)
        finally:
            for exchange in exchanges:
                exchange.host.release()

    async def _fetch_robots(self, host: Host, origin: str, exchanges: list[Exchange]) -> None:
        url = self._identity.parse(f"{origin}/robots.txt")
        before = await self._robots.load(origin)
        cause = ""
        try:
            last, detail = await self._follow_redirects(url, exchanges)
        except Unresolved as failed:
            last, detail, cause = None, f"{failed.cause}: {failed}", failed.cause
        except (TooLong, Forbidden) as failed:
            last, detail = None, str(failed)
        try:
            rules = self._robots.accept(origin, last, self._clock.now(), detail, cause, before)
            if not rules.is_unreachable:
                host.follow_rules(rules)
                rules = self._robots.extend(rules, host.paced_until())
            self._record(rules.copy, exchanges)
        except BaseException:
            self._robots.forget(origin)
            raise

    async def _follow_redirects(self, url: Url, exchanges: list[Exchange]) -> tuple[Fetched | None, str]:
        """Holds the hosts of the exchanges until these are recorded. A host that was forgotten before would be read
        back without its last request (P1)."""
        first = source = url.origin
        for _ in range(MOST_HOPS + 1):
            exchange = await self._requests.send(url, first, source)
            if exchange.fetched.failure == STALE_CONNECTION:
                exchange = await self._requests.send(url, first, source)
            exchange.host.hold()
            exchanges.append(exchange)
            fetched = exchange.fetched
            target = fetched.location(self._identity)
            if fetched.failure is not None or not fetched.is_redirect or target is None:
                return fetched, fetched.detail
            if not isinstance(target, Url):
                return fetched, f"redirected to an invalid URL: {target}"
            source, url = url.origin, target
            if self._requests.is_banned(url.origin):
                return fetched, f"redirected to {url.origin}, which is on the blacklist"
        return exchanges[-1].fetched, f"more than {MOST_HOPS} redirects"
