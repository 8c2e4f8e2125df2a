"""What a host goes through before its URLs are ready: an address, then robots.txt.

Runs beside the journeys: a host that is being looked up or asked for its robots.txt holds no place of
a page, and its URLs stay in their queue.
"""

from collections.abc import Callable
from typing import NamedTuple

from hondius.clock import Clock
from hondius.crawler.politeness.address_turns import AddressTurns, TooLong
from hondius.crawler.politeness.failures import SWALLOWED
from hondius.crawler.politeness.host import Host
from hondius.crawler.politeness.names import Names, Unnamed, host_of
from hondius.crawler.politeness.robots import RobotsDesk, Rules
from hondius.crawler.politeness.robots_requests import Forbidden, RobotsRequests
from hondius.model import RobotsCopy
from hondius.native import Fetched, Identity, Url

MOST_HOPS = 5
SOON = 0.05


class Exchange(NamedTuple):
    """A request on the way to a robots.txt, and what came of it."""

    host: str
    fetched: Fetched


Record = Callable[[RobotsCopy, list[Exchange]], None]


class NotYet(Exception):
    """The host, or its address, has no turn for a robots.txt before `when`."""

    def __init__(self, when: float) -> None:
        super().__init__(when)
        self.when = when


class Gate:
    def __init__(
        self,
        *,
        names: Names,
        turns: AddressTurns,
        robots: RobotsDesk,
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

    async def address_of(self, host: Host) -> str:
        """An address in force, looked up if need be. Raises Unnamed."""
        return await self._names.address_of(host)

    async def rules_of(self, host: Host, origin: str, address: str) -> Rules | None:
        """The rules of an origin, requested if need be. Raises NotYet and NotSent."""
        now = self._clock.now()
        if self._robots.fresh(origin, now) is None:
            host.follow(self._robots.rules(origin))
            when = self._turns.come_back_at(host, address, now)
            if host.busy or when > now:
                raise NotYet(max(when, now + SOON))
            await self.ask_robots(host, origin)
        return self._robots.rules(origin)

    async def ask_robots(self, host: Host, origin: str) -> None:
        """Fetches robots.txt, hop by hop, each polite, also across hosts (B2). Raises NotSent."""
        url = self._identity.parse(f"{origin}/robots.txt")
        exchanges: list[Exchange] = []
        cause = ""
        try:
            last, detail = await self._follow(url, exchanges)
        except Unnamed as failed:
            last, detail, cause = None, f"{failed.cause}: {failed}", failed.cause
        except (TooLong, Forbidden) as failed:
            last, detail = None, str(failed)
        try:
            rules = self._robots.accept(origin, last, self._clock.now(), detail, cause)
            if not rules.unreachable:
                host.follow(rules)
                rules = self._robots.outlast(rules, host.paced_until())
            self._record(rules.copy, exchanges)
        except BaseException:
            self._robots.forget(origin)
            raise

    async def _follow(self, url: Url, exchanges: list[Exchange]) -> tuple[Fetched | None, str]:
        first = source = url.origin
        for _ in range(MOST_HOPS + 1):
            fetched = await self._requests.send(url, first, source)
            if fetched.failure == SWALLOWED:
                fetched = await self._requests.send(url, first, source)
            exchanges.append(Exchange(host_of(url.origin), fetched))
            target = fetched.location(self._identity)
            if fetched.failure is not None or not fetched.is_redirect or target is None:
                return fetched, fetched.detail
            if not isinstance(target, Url):
                return fetched, f"redirected to what is no URL: {target}"
            source, url = url.origin, target
            if self._requests.banned(url.origin):
                return fetched, f"redirected to {url.origin}, which is on the blacklist"
        return exchanges[-1].fetched, f"more than {MOST_HOPS} redirects"
