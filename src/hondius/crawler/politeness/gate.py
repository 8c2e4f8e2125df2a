"""What a host goes through before its URLs are ready: an address, then robots.txt.

Runs beside the journeys: a host that is being looked up or asked for its robots.txt holds no place of
a page, and its URLs stay in their queue.
"""

from collections.abc import Awaitable, Callable

from hondius.clock import Clock
from hondius.crawler.politeness.addresses import Addresses
from hondius.crawler.politeness.circuit import Circuit
from hondius.crawler.politeness.failures import ENGINE_PANIC, NOT_SENT, SWALLOWED, treatment_of
from hondius.crawler.politeness.hosts import Host, Hosts
from hondius.crawler.politeness.recovery import PUSHED_BACK
from hondius.crawler.politeness.robots import RobotsDesk, Rules
from hondius.crawler.politeness.turns import TooLong, Turns
from hondius.errors import EnginePanic
from hondius.model import RobotsCopy
from hondius.native import Fetched, Identity, Resolved, Url

MOST_HOPS = 5
NAME_TRIES = 4
LOST = frozenset({"lease_ended", "cancelled"})
"""Failures of look-ups on our side: no name server has answered."""
LONGEST_RULE = 200

Fetch = Callable[[bytes, str, str, str, float | None], Awaitable[Fetched]]
Resolve = Callable[[str], Awaitable[Resolved]]
Record = Callable[[RobotsCopy, list[Fetched]], None]


class Unnamed(Exception):
    """The host has no address that may be contacted; `cause` is of the failure table."""

    def __init__(self, cause: str, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause


class NotSent(Exception):
    """The request was not made: it could not be recorded, or its host was put on the blacklist. Says nothing of the
    host."""


class Forbidden(Exception):
    """A robots.txt redirects to what the robots.txt of another origin forbids, or to a host on the blacklist."""


class Gate:
    def __init__(
        self,
        *,
        hosts: Hosts,
        turns: Turns,
        addresses: Addresses,
        circuit: Circuit,
        robots: RobotsDesk,
        identity: Identity,
        fetch: Fetch,
        resolve: Resolve,
        record: Record,
        banned: Callable[[str], bool],
        clock: Clock,
    ) -> None:
        self._hosts = hosts
        self._turns = turns
        self._addresses = addresses
        self._circuit = circuit
        self._robots = robots
        self._identity = identity
        self._fetch = fetch
        self._resolve = resolve
        self._record = record
        self._banned = banned
        self._clock = clock

    def let_in_by(self, host: Host, origin: str, now: float) -> Rules | None:
        """The rules that hold for a request to this origin, where everything is known that it needs; else None."""
        if not host.addresses or now >= host.addresses_until:
            return None
        rules = self._robots.fresh(origin, now)
        if rules is None or rules.unreachable:
            return None
        self._turns.heed(host, rules.crawl_delay)
        return rules

    def heed_known(self, host: Host, origin: str) -> None:
        """Before robots.txt is asked for again: what the copy at hand says of the pace holds until there is another."""
        rules = self._robots.rules(origin)
        if rules is not None and not rules.unreachable:
            self._turns.heed(host, rules.crawl_delay)

    async def address_of(self, host: Host) -> str:
        """An address in force, looked up if need be. Raises Unnamed."""
        now = self._clock.now()
        if host.addresses and now < host.addresses_until:
            return host.addresses[0]
        resolved = await self._resolve(host.name)
        if resolved.failure == ENGINE_PANIC:
            raise EnginePanic(f"{host.name} was looked up: {resolved.detail}")
        if resolved.failure is not None or not resolved.addresses:
            host.name_failed(self._clock.now())
            raise Unnamed(resolved.failure or "dns_failure", resolved.detail)
        host.name_failures = 0
        host.addresses = resolved.addresses
        host.addresses_until = resolved.expires_at
        return host.addresses[0]

    def given_up(self, host: Host, failed: Unnamed) -> bool:
        """Whether the name will not be tried again, and its URLs end with the failure's cause. A look-up that was lost
        on our side says nothing of the name."""
        if failed.cause in LOST:
            return False
        return not treatment_of(failed.cause).retried or host.name_failures >= NAME_TRIES

    async def ask_robots(self, origin: str) -> None:
        """Fetches robots.txt, hop by hop, each polite, also across hosts (B2). Raises NotSent."""
        url = self._identity.parse(f"{origin}/robots.txt")
        exchanges: list[Fetched] = []
        cause = ""
        try:
            last, detail = await self._follow(url, exchanges)
        except Unnamed as failed:
            last, detail, cause = None, f"{failed.cause}: {failed}", failed.cause
        except (TooLong, Forbidden) as failed:
            last, detail = None, str(failed)
        try:
            self._accept(origin, last, detail, cause, exchanges)
        except BaseException:
            self._robots.forget(origin)
            raise

    def _accept(self, origin: str, last: Fetched | None, detail: str, cause: str, exchanges: list[Fetched]) -> None:
        rules = self._robots.accept(origin, last, self._clock.now(), detail, cause)
        if not rules.unreachable:
            host = self._hosts.get(host_of(origin))
            self._turns.heed(host, rules.crawl_delay)
            rules = self._robots.outlast(rules, self._turns.paced_until(host))
        self._record(rules.copy, exchanges)

    async def _follow(self, url: Url, exchanges: list[Fetched]) -> tuple[Fetched | None, str]:
        first = source = url.origin
        for _ in range(MOST_HOPS + 1):
            fetched = await self._ask(url, first, source)
            if fetched.failure == SWALLOWED:
                fetched = await self._ask(url, first, source)
            exchanges.append(fetched)
            target = fetched.location(self._identity)
            if fetched.failure is not None or not fetched.is_redirect or target is None:
                return fetched, fetched.detail
            if not isinstance(target, Url):
                return fetched, f"redirected to what is no URL: {target}"
            source, url = url.origin, target
            if self._banned(url.origin):
                return fetched, f"redirected to {url.origin}, which is on the blacklist"
        return exchanges[-1], f"more than {MOST_HOPS} redirects"

    def _refuse_forbidden(self, url: Url, source: str) -> None:
        """A site may move its own robots.txt wherever it likes, but not make us ask another site for what that one
        forbids. Rules that are not known forbid nothing: asking for them here could go on without end."""
        if url.origin == source or (rules := self._robots.rules(url.origin)) is None:
            return
        verdict = rules.verdict(url.href[len(url.origin) :])
        if verdict is not None and not verdict.allowed:
            raise Forbidden(
                f"{source} redirects it to {url.href}, which the robots.txt there forbids "
                f"(line {verdict.line}: {verdict.rule[:LONGEST_RULE]})"
            )

    def _refuse_banned(self, url: Url, *, is_own: bool) -> None:
        if self._banned(url.origin):
            detail = f"{url.origin} is on the blacklist"
            raise NotSent(detail) if is_own else Forbidden(detail)

    async def _ask(self, url: Url, first: str, source: str) -> Fetched:
        """`first`: the origin whose robots.txt is wanted; `source`: the origin that led to this URL."""
        self._refuse_forbidden(url, source)
        host = self._hosts.get(host_of(url.origin))
        is_own = host.name == host_of(first)
        address = await self.address_of(host)
        await self._turns.claim(host, address, is_own=is_own)
        try:
            # The blacklist and the rules may have changed while the claim waited.
            self._refuse_banned(url, is_own=is_own)
            self._refuse_forbidden(url, source)
        except BaseException:
            self._turns.cancel(host, address)
            raise
        began = self._clock.now()
        try:
            fetched = await self._fetch(url.key, url.href, address, "robots", None)
            if fetched.failure is not None:
                fetched = await self._addresses.try_others(
                    host, address, fetched, lambda at, within: self._fetch(url.key, url.href, at, "robots", within)
                )
        except BaseException:
            # The engine has confirmed that nothing is under way any more; something may have been sent before.
            self._turns.end(host, address, began, self._clock.now())
            raise
        if fetched.failure == NOT_SENT:
            self._turns.cancel(host, address)
            raise NotSent(fetched.detail)
        self._turns.end(host, address, fetched.started_at, fetched.ended_at)
        if fetched.status in PUSHED_BACK:
            # Before anything can fail: a host that asks for time gets it, as for any page (P2).
            self._turns.pushed_back(host, fetched.retry_after, fetched.ended_at)
        if (pace := self._robots.pace_of(fetched)) is not None:
            # For the same reason: a bug may keep the rules from being accepted, and they are asked for again (P1).
            self._turns.heed(self._hosts.get(host_of(first)), pace)
        if fetched.failure == ENGINE_PANIC:
            raise EnginePanic(f"{url.href}: {fetched.detail}")
        self._circuit.judge(host, fetched, fetched.failure or f"http_{fetched.status}")
        return fetched


def host_of(origin: str) -> str:
    """The hostname of `scheme://host[:port]`, brackets of IPv6 kept; `a.test.` is the same machine as `a.test`."""
    name = origin.partition("://")[2]
    host = name if name.endswith("]") else name.rpartition(":")[0] or name
    return host.rstrip(".")
