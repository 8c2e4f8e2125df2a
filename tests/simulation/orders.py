"""Orders that an operator drops into the crawl's mailbox, at random moments."""

from random import Random

import msgspec

from hondius.crawler.control import DIRECTORY, Order
from hondius.model import Blacklisted, HostOrder, Wanted
from hondius.stores.disk.simulated import SimulatedDisk
from tests.simulation.web import Web


class Operator:
    def __init__(self, web: Web, chance: Random) -> None:
        self._web = web
        self._chance = chance
        self._posted = 0
        self.blacklisted: set[str] = set()
        """Domains that were ever on the blacklist."""

    def interfere(self, disk: SimulatedDisk, now: float) -> None:
        match self._chance.choice(("recrawl", "recrawl", "slow", "pause", "release", "blacklist", "lift")):
            case "recrawl":
                self.want(disk, self._chance.randint(1, 10))
            case "slow":
                self._post(disk, HostOrder(self._host(), now, delay=self._chance.choice((3.0, 7.0))))
            case "pause":
                self._post(disk, HostOrder(self._host(), now, paused_until=now + self._chance.choice((5.0, 40.0))))
            case "release":
                self._post(disk, HostOrder(self._host(), now))
            case "blacklist":
                name = self._host()
                if name != self._web.hosts[0].name:
                    self.blacklisted.add(name)
                    self._post(disk, Blacklisted(name, "asked for", now))
            case "lift" if self.blacklisted:
                self._post(disk, Blacklisted(self._chance.choice(sorted(self.blacklisted)), "", now, lifted=True))

    def want(self, disk: SimulatedDisk, count: int) -> None:
        pages = self._chance.choices(list(self._web.pages.values()), k=count)
        self._post(disk, Wanted(tuple(dict.fromkeys(page.href for page in pages if page.kind != "sitemap"))))

    def _host(self) -> str:
        return self._chance.choice(self._web.hosts).name

    def _post(self, disk: SimulatedDisk, order: Order) -> None:
        self._posted += 1
        disk.replace(f"{DIRECTORY}/{self._posted:020}.json", msgspec.json.encode(order))
