"""Orders that an operator gives to the crawl at random moments."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from random import Random

from hondius.errors import DiskFull
from hondius.model import Blacklisted, HostOrder, Order, RecrawlOrder
from hondius.stores.disk.simulated import SimulatedDisk
from hondius.stores.orders.files import OrderFiles
from tests.simulation.web import Web


class Operator:
    def __init__(self, web: Web, chance: Random, find_depths: Callable[[Sequence[bytes]], dict[bytes, int]]) -> None:
        """`find_depths`: the depths of the URLs that have ended."""
        self._web = web
        self._chance = chance
        self._find_depths = find_depths
        self._posted = 0
        self.kept: list[tuple[float, Order]] = []
        """Stored orders and their times. An order that failed on a full disk does not count: its operator got an
        error."""

    @property
    def blacklisted(self) -> set[str]:
        """Domains that were ever on the blacklist."""
        return {order.domain for _, order in self.kept if isinstance(order, Blacklisted)}

    def interfere(self, disk: SimulatedDisk, now: float) -> None:
        match self._chance.choice(("recrawl", "recrawl", "slow", "pause", "release", "blacklist", "lift")):
            case "recrawl":
                self.want(disk, self._chance.randint(1, 10), now)
            case "slow":
                self._post(
                    disk, HostOrder(self._host(), now, delay=self._chance.choice((3.0, 7.0)), reason=self._name()), now
                )
            case "pause":
                until = now + self._chance.choice((5.0, 40.0))
                self._post(disk, HostOrder(self._host(), now, paused_until=until, reason=self._name()), now)
            case "release":
                self._post(disk, HostOrder(self._host(), now, reason=self._name()), now)
            case "blacklist":
                name = self._host()
                if name != self._web.hosts[0].name:
                    self._post(disk, Blacklisted(name, self._name(), now), now)
            case "lift" if self.blacklisted:
                domain = self._chance.choice(sorted(self.blacklisted))
                self._post(disk, Blacklisted(domain, self._name(), now, lifted=True), now)

    def want(self, disk: SimulatedDisk, count: int, now: float) -> None:
        """Orders of any process: they say the depth that the catalog has, and 0 for a URL that has not ended yet, is
        unknown, or is not yet in the catalog."""
        pages = self._chance.choices(list(self._web.pages.values()), k=count)
        depths = self._find_depths([page.url.key for page in pages])
        groups: dict[int, dict[str, None]] = defaultdict(dict)
        for page in pages:
            if page.kind != "sitemap":
                groups[depths.get(page.url.key, 0)][page.href] = None
        for depth, urls in groups.items():
            self._post(disk, RecrawlOrder(tuple(urls), depth), now)

    def _name(self) -> str:
        """A unique reason: it identifies an order, because the crawl records times by its own clock."""
        return f"order {self._posted}"

    def _host(self) -> str:
        return self._chance.choice(self._web.hosts).name

    def _post(self, disk: SimulatedDisk, order: Order, now: float) -> None:
        self._posted += 1
        try:
            OrderFiles(disk).post([order], self._posted)
        except DiskFull:
            return
        self.kept.append((now, order))
