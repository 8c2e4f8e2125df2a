"""What a host goes through before its URLs are ready: an address, then robots.txt.

Runs beside the journeys: a host that is being looked up or asked for its robots.txt holds no place of
a page, and its URLs stay in their queue.
"""

from collections.abc import Awaitable, Callable

from hondius.clock import Clock
from hondius.crawler.politeness.address_turns import AddressTurns, TooLong
from hondius.crawler.politeness.addresses import Addresses
from hondius.crawler.politeness.failures import ENGINE_PANIC, NOT_SENT, SWALLOWED
from hondius.crawler.politeness.host import Host
from hondius.crawler.politeness.known_hosts import Hosts
from hondius.crawler.politeness.robots import RobotsDesk
from hondius.errors import EnginePanic
from hondius.model import RobotsCopy
from hondius.native import Fetched, Identity, Resolved, Url

MOST_HOPS = 5
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
        turns: AddressTurns,
        addresses: Addresses,
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
        self._robots = robots
        self._identity = identity
        self._fetch = fetch
        self._resolve = resolve
        self._record = record
        self._banned = banned
        self._clock = clock

    async def address_of(self, host: Host) -> str:
        """An address in force, looked up if need be. Raises Unnamed."""
        if host.has_address(self._clock.now()):
            return host.addresses[0]
        resolved = await self._resolve(host.name)
        if resolved.failure == ENGINE_PANIC:
            raise EnginePanic(f"{host.name} was looked up: {resolved.detail}")
        if resolved.failure is not None or not resolved.addresses:
            host.name_failed(self._clock.now())
            raise Unnamed(resolved.failure or "dns_failure", resolved.detail)
        host.named(resolved.addresses, resolved.expires_at)
        return host.addresses[0]

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
            host.follow(rules)
            rules = self._robots.outlast(rules, host.paced_until())
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
        try:
            fetched = await self._fetch(url.key, url.href, address, "robots", None)
            if fetched.failure is not None:
                fetched = await self._addresses.try_others(
                    host, address, fetched, lambda at, within: self._fetch(url.key, url.href, at, "robots", within)
                )
        except BaseException:
            # The engine has confirmed that nothing is under way any more; something may have been sent before.
            self._turns.abandon(host, address)
            raise
        if fetched.failure == NOT_SENT:
            self._turns.cancel(host, address)
            raise NotSent(fetched.detail)
        try:
            self._end_turn(host, address, fetched)
        finally:
            # At once: a bug may keep the rules from being accepted, and they are asked for again (P1).
            if (pace := self._robots.pace_of(fetched)) is not None:
                self._hosts.get(host_of(first)).heed(pace)
        if fetched.failure == ENGINE_PANIC:
            raise EnginePanic(f"{url.href}: {fetched.detail}")
        return fetched

    def _end_turn(self, host: Host, address: str, fetched: Fetched) -> None:
        """Whatever fails, the host is free: otherwise nobody could contact it again."""
        try:
            self._turns.leave(address)
        finally:
            host.robots_ended(fetched)


def host_of(origin: str) -> str:
    """The hostname of `scheme://host[:port]`, brackets of IPv6 kept; `a.test.` is the same machine as `a.test`."""
    name = origin.partition("://")[2]
    host = name if name.endswith("]") else name.rpartition(":")[0] or name
    return host.rstrip(".")
