"""Sends one request for a robots.txt, or for the target of its redirect, in a turn of the host that is asked (B2)."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from hondius.crawler.politeness.address_turns import AddressTurns
from hondius.crawler.politeness.addresses import Addresses
from hondius.crawler.politeness.failures import ENGINE_PANIC, NOT_SENT
from hondius.crawler.politeness.host import Host
from hondius.crawler.politeness.known_hosts import Hosts
from hondius.crawler.politeness.names import Names, parse_host
from hondius.crawler.politeness.robots import RobotsCache, Rules
from hondius.errors import CalledOff, EnginePanic
from hondius.native import Fetched, Url

LONGEST_RULE = 200

Fetch = Callable[[bytes, str, str, str, float | None], Awaitable[Fetched]]
"""(key, URL, address, kind, seconds that are left of the total time-out)"""


class NotSent(Exception):
    """The request was not sent: it could not be recorded, or its host was put on the blacklist. This says nothing about
    the host."""


class Forbidden(Exception):
    """A robots.txt redirects to a URL that the robots.txt of another origin forbids, or to a host on the blacklist."""


class Exchange(NamedTuple):
    """A request on the way to a robots.txt, and its answer."""

    host: Host
    fetched: Fetched


class RobotsRequests:
    def __init__(
        self,
        *,
        hosts: Hosts,
        names: Names,
        turns: AddressTurns,
        addresses: Addresses,
        robots: RobotsCache,
        fetch: Fetch,
        is_banned: Callable[[str], bool],
    ) -> None:
        """`is_banned`: whether an origin is on the blacklist."""
        self._hosts = hosts
        self._names = names
        self._turns = turns
        self._addresses = addresses
        self._robots = robots
        self._fetch = fetch
        self.is_banned = is_banned

    async def send(self, url: Url, first: str, source: str, *, is_robots: bool = True) -> Exchange:
        """`first`: the origin whose robots.txt is wanted; its host is held. `source`: the origin that led to this URL.
        `is_robots`: the answer is read as a robots.txt. Waits for a turn of the host. Raises NotSent, Forbidden,
        Unresolved and TooLong."""
        rules = None if url.origin == source else await self._robots.look_up(url.origin)
        self._refuse_forbidden(url, source, rules)
        host = await self._hosts.load(parse_host(url.origin))
        host.hold()
        try:
            return Exchange(host, await self._send(url, first if is_robots else "", source, host, rules))
        finally:
            host.release()

    async def _send(self, url: Url, first: str, source: str, host: Host, rules: Rules | None) -> Fetched:
        """`first` is empty if the answer is no robots.txt but another file of the host itself."""
        is_own = not first or host.name == parse_host(first)
        address = await self._names.resolve(host)
        await self._turns.claim(host, address, is_own=is_own)
        try:
            # The blacklist and the rules may have changed while the claim waited.
            self._refuse_banned(url, is_own=is_own)
            self._refuse_forbidden(url, source, rules)
        except BaseException:
            self._turns.cancel(host, address)
            raise
        try:
            fetched = await self._fetch_at_any(url, host, address)
        except CalledOff as late:
            self._end_exchange(host, address, late.answer, first)
            raise
        if fetched.failure == NOT_SENT:
            self._turns.cancel(host, address)
            raise NotSent(fetched.detail)
        self._end_exchange(host, address, fetched, first)
        if fetched.failure == ENGINE_PANIC:
            raise EnginePanic(f"{url.href}: {fetched.detail}")
        return fetched

    def _end_exchange(self, host: Host, address: str, fetched: Fetched, first: str) -> None:
        try:
            self._end_turn(host, address, fetched)
        finally:
            # At once: if a bug prevents accepting the rules, they are requested again (P1).
            pace = self._robots.parse_crawl_delay(fetched) if first else None
            wanted_by = self._hosts.find(parse_host(first)) if first else None
            if pace is not None and wanted_by is not None:
                wanted_by.set_crawl_delay(pace)

    async def _fetch_at_any(self, url: Url, host: Host, address: str) -> Fetched:
        def ask(at: str, within: float | None) -> Awaitable[Fetched]:
            return self._fetch(url.key, url.href, at, "robots", within)

        try:
            fetched = await ask(address, None)
            return await self._addresses.try_others(host, address, fetched, ask)
        except CalledOff:
            raise  # the caller ends the turn with its answer
        except BaseException:
            # The engine has confirmed that nothing is under way. Something may have been sent before.
            self._turns.abandon(host, address)
            raise

    def _end_turn(self, host: Host, address: str, fetched: Fetched) -> None:
        """Frees the host whatever fails. Otherwise it could never be contacted again."""
        try:
            self._turns.release(address)
        finally:
            host.end_robots_request(fetched)

    def _refuse_forbidden(self, url: Url, source: str, seen: Rules | None) -> None:
        """A site may move its own robots.txt anywhere, but it must not make us request what another site forbids.
        Unknown rules forbid nothing: fetching them here might never end. `seen`: the rules known before; there may be
        newer ones."""
        if url.origin == source or (rules := self._robots.find_in_force(url.origin, seen)) is None:
            return
        verdict = rules.judge(url.href[len(url.origin) :])
        if verdict is not None and not verdict.allowed:
            raise Forbidden(
                f"{source} redirects it to {url.href}, which the robots.txt there forbids "
                f"(line {verdict.line}: {verdict.rule[:LONGEST_RULE]})"
            )

    def _refuse_banned(self, url: Url, *, is_own: bool) -> None:
        if self.is_banned(url.origin):
            detail = f"{url.origin} is on the blacklist"
            raise NotSent(detail) if is_own else Forbidden(detail)
