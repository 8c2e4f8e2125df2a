"""Resolves the names of hosts (N1)."""

from collections.abc import Awaitable, Callable

from hondius.clock import Clock
from hondius.crawler.politeness.failures import ENGINE_PANIC
from hondius.crawler.politeness.host import LOST, Host
from hondius.errors import EnginePanic
from hondius.native import Resolved

Resolve = Callable[[str], Awaitable[Resolved]]


class Unresolved(Exception):
    """The host has no address that may be contacted; `cause` is one of the failure table."""

    def __init__(self, cause: str, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause


class Names:
    def __init__(self, resolve: Resolve, clock: Clock) -> None:
        self._resolve = resolve
        self._clock = clock

    async def resolve(self, host: Host) -> str:
        """A valid address of the host, resolved if necessary. Raises Unresolved."""
        if host.has_address(self._clock.now()):
            return host.addresses[0]
        resolved = await self._resolve(host.name)
        if resolved.failure == ENGINE_PANIC:
            raise EnginePanic(f"{host.name} was looked up: {resolved.detail}")
        if resolved.failure is not None or not resolved.addresses:
            cause = resolved.failure or "dns_failure"
            if cause not in LOST:
                host.count_name_failure(self._clock.now())
            raise Unresolved(cause, resolved.detail)
        host.set_addresses(resolved.addresses, resolved.expires_at)
        return host.addresses[0]


def parse_host(origin: str) -> str:
    """The host name of `scheme://host[:port]`. Keeps the brackets of IPv6; `a.test.` is the same host as `a.test`."""
    name = origin.partition("://")[2]
    host = name if name.endswith("]") else name.rpartition(":")[0] or name
    return host.rstrip(".")
