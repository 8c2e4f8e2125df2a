"""Limits on requests per host, domain and address (D5).

URLs above a limit stay queued for a run with higher limits. The pages of a host are counted by the host itself.

Anybody can link to any number of hosts of a domain whose name server resolves every name. So the hosts of a domain are
counted twice: its own, which another of its hosts or the operator names, and those that only other domains name. Each
is limited by its own count (decision 0017).
"""

from collections.abc import Callable, Sequence

from hondius.crawler.politeness import Ask, Host, ask_inline
from hondius.settings import ScopeSettings

MOST_REMEMBERED = 20_000
"""Hosts, domains and addresses each: about 200 bytes for a host and its domain."""


class HostBudgets:
    """`fetched_of_domain`, `hosts_at` and `list_hosts_of_domain` read the partition's view and block; `ask` runs them
    on a thread that may wait. `view_may_know`: whether the view may count something that memory does not. `is_own`:
    whether a host is one of its domain's own. `is_wanted`: whether the operator named a URL of a host; then no limit on
    the hosts of its domain applies."""

    def __init__(
        self,
        settings: ScopeSettings,
        *,
        fetched_of_domain: Callable[[str], int],
        hosts_at: Callable[[str, int], int],
        list_hosts_of_domain: Callable[[str, int], Sequence[str]],
        is_own: Callable[[str], bool],
        is_wanted: Callable[[str], bool],
        ask: Ask = ask_inline,
        view_may_know: bool = True,
    ) -> None:
        self._settings = settings
        self._fetched_of_domain = fetched_of_domain
        self._list_hosts_of_domain = list_hosts_of_domain
        self._is_own = is_own
        self._is_wanted = is_wanted
        self._ask = ask
        self._view_may_know = view_may_know
        self._domains: dict[str, int] = {}
        most = settings.max_hosts_per_address
        self._at_addresses = HostCounts(lambda address: [hosts_at(address, most)], most)
        self._below_domains = HostCounts(self._count_by_kind, settings.max_hosts_per_domain)
        self._counted: set[str] = set()
        """Hosts that this run has counted for their address and domain. The view may not have them yet."""

    def must_read(self, domain: str) -> bool:
        """Whether the view must be read before `find_spent_limit` can decide about hosts of this domain."""
        return self._view_may_know and self._settings.max_pages_per_domain is not None and domain not in self._domains

    def read(self, domain: str) -> int:
        """The pages fetched of a domain, according to the view. Blocks; any thread may call it."""
        return self._fetched_of_domain(domain)

    def learn(self, domain: str, fetched: int) -> None:
        """`fetched` has just been read. No request of the domain was counted meanwhile: `must_read` kept its hosts
        waiting."""
        self._domains.setdefault(domain, fetched)

    def find_spent_limit(self, host: Host) -> str:
        """The limit that this host or its domain has reached; empty if none."""
        if host.has_spent(self._settings.max_pages_per_host):
            return "max_pages_per_host"
        most = self._settings.max_pages_per_domain
        return "max_pages_per_domain" if most is not None and self._count_of_domain(host.domain) >= most else ""

    def count_request(self, host: Host, *, is_recrawl: bool) -> None:
        """Counts a request. A recrawl counts for no limit of the domain."""
        if self._settings.max_pages_per_domain is not None and not is_recrawl:
            self._domains[host.domain] = self._count_of_domain(host.domain) + 1

    async def find_crowded_limit(self, host: Host, address: str) -> str:
        """The limit that excludes a host which was never contacted, because its address or its domain has too many
        hosts; empty if there is room. Only hosts with an address get here, so names that do not exist use up
        nothing."""
        if host.was_contacted or host.name in self._counted:
            return ""
        self._forget_some()
        if self._at_addresses.must_read(address) or self._below_domains.must_read(host.domain):
            await self._read_host_counts(address, host.domain)
            if host.name in self._counted:
                return ""  # another origin of it came first
        if self._at_addresses.is_full(address):
            return "max_hosts_per_address"
        is_own = self._is_own(host.name)
        if self._below_domains.is_full(host.domain, is_own) and not self._is_wanted(host.name):
            return "max_hosts_per_domain"
        self._at_addresses.add(address)
        self._below_domains.add(host.domain, is_own)
        self._counted.add(host.name)
        return ""

    def _count_of_domain(self, domain: str) -> int:
        if self.must_read(domain):
            self.learn(domain, self.read(domain))
        return self._domains.get(domain, 0)

    async def _read_host_counts(self, address: str, domain: str) -> None:
        if self._view_may_know:
            at, below = self._at_addresses, self._below_domains
            at_address, below_domain = await self._ask(lambda: (at.read(address), below.read(domain)))
        else:
            at_address, below_domain = [0], [0, 0]
        self._at_addresses.learn(address, at_address)
        self._below_domains.learn(domain, below_domain)

    def _count_by_kind(self, domain: str) -> list[int]:
        """The hosts of a domain that were contacted: those that only other domains name, and its own."""
        names = self._list_hosts_of_domain(domain, 2 * self._settings.max_hosts_per_domain)
        own = sum(self._is_own(name) for name in names)
        return [len(names) - own, own]

    def _forget_some(self) -> None:
        """The view has what is forgotten here, except for the last commit."""
        if max(len(self._counted), len(self._at_addresses), len(self._below_domains)) > MOST_REMEMBERED:
            self._counted.clear()
            self._at_addresses.forget()
            self._below_domains.forget()
            self._view_may_know = True
        if len(self._domains) > MOST_REMEMBERED:
            self._domains.clear()
            self._view_may_know = True


class HostCounts:
    """How many hosts were contacted at each address, or below each domain, in earlier runs and in this one. `place` is
    the address or the domain. `count` returns one number for each kind of host."""

    def __init__(self, count: Callable[[str], list[int]], most: int) -> None:
        self._count = count
        self._most = most
        self._hosts: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._hosts)

    def must_read(self, place: str) -> bool:
        return place not in self._hosts

    def read(self, place: str) -> list[int]:
        """Blocks; any thread may call it."""
        return self._count(place)

    def learn(self, place: str, hosts: list[int]) -> None:
        """`hosts` has just been read. If others were added meanwhile, the count in memory already has them."""
        self._hosts.setdefault(place, hosts)

    def is_full(self, place: str, kind: int = 0) -> bool:
        """Call `learn` first."""
        return self._hosts[place][kind] >= self._most

    def add(self, place: str, kind: int = 0) -> None:
        """Call `is_full` first."""
        self._hosts[place][kind] += 1

    def forget(self) -> None:
        self._hosts.clear()
