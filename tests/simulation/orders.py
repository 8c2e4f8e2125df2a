"""Orders that an operator drops into the crawl's mailbox, at random moments."""

from random import Random

from hondius.crawler.control import Order, post
from hondius.errors import DiskFull
from hondius.model import Blacklisted, HostOrder, Wanted
from hondius.stores.disk.simulated import SimulatedDisk
from tests.simulation.web import Web


class Operator:
    def __init__(self, web: Web, chance: Random) -> None:
        self._web = web
        self._chance = chance
        self._posted = 0
        self.kept: list[tuple[float, Order]] = []
        """What the crawl was told, and when: an order that found no room is none, and its operator was told so."""

    @property
    def blacklisted(self) -> set[str]:
        """Domains that were ever on the blacklist."""
        return {order.domain for _, order in self.kept if isinstance(order, Blacklisted)}

    def interfere(self, disk: SimulatedDisk, now: float) -> None:
        match self._chance.choice(("recrawl", "recrawl", "slow", "pause", "release", "blacklist", "lift")):
            case "recrawl":
                self.want(disk, self._chance.randint(1, 10), now)
            case "slow":
                self._post(disk, HostOrder(self._host(), now, delay=self._chance.choice((3.0, 7.0))), now)
            case "pause":
                self._post(disk, HostOrder(self._host(), now, paused_until=now + self._chance.choice((5.0, 40.0))), now)
            case "release":
                self._post(disk, HostOrder(self._host(), now), now)
            case "blacklist":
                name = self._host()
                if name != self._web.hosts[0].name:
                    self._post(disk, Blacklisted(name, "asked for", now), now)
            case "lift" if self.blacklisted:
                self._post(disk, Blacklisted(self._chance.choice(sorted(self.blacklisted)), "", now, lifted=True), now)

    def want(self, disk: SimulatedDisk, count: int, now: float) -> None:
        pages = self._chance.choices(list(self._web.pages.values()), k=count)
        self._post(disk, Wanted(tuple(dict.fromkeys(page.href for page in pages if page.kind != "sitemap"))), now)

    def _host(self) -> str:
        return self._chance.choice(self._web.hosts).name

    def _post(self, disk: SimulatedDisk, order: Order, now: float) -> None:
        self._posted += 1
        try:
            post(disk, [order], self._posted)
        except DiskFull:
            return
        self.kept.append((now, order))
