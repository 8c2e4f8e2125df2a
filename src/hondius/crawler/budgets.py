"""How much of a host, a domain and an address is asked for (D5).

What is above stays queued, for a run with higher limits. Pages a host are counted by the host itself.
"""

from collections.abc import Callable

from hondius.crawler.politeness import Host
from hondius.native import registrable_domain
from hondius.settings import ScopeSettings

MOST_REMEMBERED = 100_000


class HostBudgets:
    def __init__(
        self, settings: ScopeSettings, fetched_of_domain: Callable[[str], int], hosts_at: Callable[[str, int], int]
    ) -> None:
        self._settings = settings
        self._fetched_of_domain = fetched_of_domain
        self._hosts_at = hosts_at
        self._domains: dict[str, int] = {}
        self._addresses: dict[str, int] = {}
        self._counted: set[str] = set()
        """Hosts of this run that are among those of their address, and in no catalog yet."""

    def spent(self, host: Host) -> str:
        """The limit that this host, or its domain, has reached; empty where there is none."""
        if host.fetched >= self._settings.max_pages_per_host:
            return "max_pages_per_host"
        most = self._settings.max_pages_per_domain
        return "max_pages_per_domain" if most is not None and self._asked(host.name) >= most else ""

    def asked(self, host: Host, *, is_recrawl: bool) -> None:
        """A request goes out. One for a URL that was fetched before counts for no limit of the domain."""
        if self._settings.max_pages_per_domain is not None and not is_recrawl:
            self._domains[_domain(host.name)] = self._asked(host.name) + 1

    def is_crowded(self, host: Host, address: str) -> bool:
        """True for a host that was never asked, at an address that has its share of hosts."""
        if host.fetched or host.name in self._counted:
            return False
        self._forget_some()
        most = self._settings.max_hosts_per_address
        hosts = self._addresses.get(address)
        if hosts is None:
            hosts = self._hosts_at(address, most)
        self._addresses[address] = hosts
        if hosts >= most:
            return True
        self._addresses[address] = hosts + 1
        self._counted.add(host.name)
        return False

    def _asked(self, name: str) -> int:
        domain = _domain(name)
        asked = self._domains.get(domain)
        if asked is None:
            asked = self._fetched_of_domain(domain)
            self._domains[domain] = asked
        return asked

    def _forget_some(self) -> None:
        """The stores know what is forgotten here, but for the last commit."""
        if len(self._counted) > MOST_REMEMBERED or len(self._addresses) > MOST_REMEMBERED:
            self._counted.clear()
            self._addresses.clear()
        if len(self._domains) > MOST_REMEMBERED:
            self._domains.clear()


def _domain(name: str) -> str:
    return registrable_domain(name) or name
