"""Gets what a host needs before its URLs are ready: an address, then robots.txt, then tdmrep.json if it is wanted.

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
from hondius.crawler.politeness.tdmrep import FORBIDDEN, TDMREP_PATH
from hondius.model import RobotsCopy
from hondius.native import Fetched, Identity, Url

MOST_HOPS = 5
SOON = 0.05


Record = Callable[[RobotsCopy, list[Exchange]], None]
RecordTdmrep = Callable[[RobotsCopy, Exchange | None], None]


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
        record_tdmrep: RecordTdmrep,
        clock: Clock,
    ) -> None:
        self._names = names
        self._turns = turns
        self._robots = robots
        self._requests = requests
        self._identity = identity
        self._record = record
        self._record_tdmrep = record_tdmrep
        self._clock = clock

    async def find_address(self, host: Host) -> str:
        """A valid address of the host, resolved if necessary. Raises Unresolved."""
        return await self._names.resolve(host)

    async def find_rules(self, host: Host, origin: str, address: str) -> Rules | None:
        """The rules of an origin, requested if necessary. Raises NotYet and NotSent."""
        rules = await self._robots.load(origin)
        if self._robots.find_fresh(origin, self._clock.now()) is None:
            host.follow_rules(rules)
            self._wait_for_turn(host, address)
            await self.fetch_robots(host, origin)
        rules = self._robots.find(origin)
        if rules is not None and not rules.is_unreachable and self._clock.now() >= rules.ready_until:
            host.follow_rules(rules)
            self._wait_for_turn(host, address)
            await self.fetch_tdmrep(host, origin, address, rules)
        return self._robots.find(origin)

    def _wait_for_turn(self, host: Host, address: str) -> None:
        """Raises NotYet if there is no turn now. The caller comes back: nobody waits here."""
        now = self._clock.now()
        when = self._turns.come_back_at(host, address, now)
        if host.busy or when > now:
            raise NotYet(max(when, now + SOON))

    async def fetch_tdmrep(self, host: Host, origin: str, address: str, rules: Rules) -> None:
        """Fetches tdmrep.json with one request, if robots.txt allows it (W1). Redirects are not followed. Whatever
        fails, the pages of the origin are requested afterwards. Raises NotYet and NotSent."""
        verdict = rules.judge(TDMREP_PATH)
        if verdict is None or not verdict.allowed:
            return self._accept_tdmrep(origin, rules, None, FORBIDDEN)
        try:
            exchange = await self._send_tdmrep(origin)
        except Unresolved as failed:
            return self._accept_tdmrep(origin, rules, None, failed.cause)
        except TooLong:
            raise NotYet(self._turns.come_back_at(host, address, self._clock.now())) from None
        exchange.host.hold()
        try:
            return self._accept_tdmrep(origin, rules, exchange)
        finally:
            exchange.host.release()

    async def _send_tdmrep(self, origin: str) -> Exchange:
        url = self._identity.parse(f"{origin}{TDMREP_PATH}")
        exchange = await self._requests.send(url, origin, origin, is_robots=False)
        if exchange.fetched.failure == STALE_CONNECTION:
            exchange = await self._requests.send(url, origin, origin, is_robots=False)
        return exchange

    def _accept_tdmrep(self, origin: str, rules: Rules, exchange: Exchange | None, cause: str = "") -> None:
        fetched = exchange.fetched if exchange is not None else None
        try:
            rules = self._robots.accept_tdmrep(rules, fetched, self._clock.now(), cause)
            self._record_tdmrep(rules.copy, exchange)
        except BaseException:
            self._robots.forget(origin)
            raise

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
