"""The web for a cluster: only pages and links; other simulations cover robots.txt and failures."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.simulation.virtual_loop import VirtualLoop
from tests.simulation.web import IDENTITY, Web


class NotSent(Exception):
    """The node's right to send has expired: the engine checks before each send."""


@dataclass(slots=True)
class Exchange:
    href: str
    key: bytes
    host: str
    node: str
    start: float
    end: float = 0.0
    status: int = 200
    links: tuple[str, ...] = ()
    cut: bool = False


class Wires:
    """A server answers even if its client is frozen; it only notices when the client has ended."""

    def __init__(self, web: Web, world: VirtualLoop, chance: Random) -> None:
        self._web = web
        self._world = world
        self._chance = chance
        self.exchanges: list[Exchange] = []
        self.not_sent = 0

    def address(self, host: str) -> str:
        return f"{self._web.host(host).address}:0"

    def by_host(self) -> dict[str, list[Exchange]]:
        hosts: dict[str, list[Exchange]] = defaultdict(list)
        for exchange in self.exchanges:
            hosts[exchange.host].append(exchange)
        return hosts

    async def fetch(self, href: str, node: str, deadline: Callable[[], float]) -> Exchange:
        await asyncio.sleep(self._chance.uniform(0.0, 0.01))
        if self._world.time() >= deadline():
            self.not_sent += 1
            raise NotSent
        exchange = self._begin(href, node)
        answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        takes = self._chance.uniform(0.02, 0.1) if self._chance.random() < 0.95 else self._chance.uniform(0.5, 4.0)
        self._world.call_later(takes, self._end, exchange, answered)
        try:
            await answered
        except asyncio.CancelledError:
            self._cut(exchange)
            raise
        return exchange

    def cut(self, node: str) -> None:
        """Closes the connections of a process that has ended."""
        for exchange in self.exchanges:
            if exchange.node == node:
                self._cut(exchange)

    def _cut(self, exchange: Exchange) -> None:
        if not exchange.end:
            exchange.end, exchange.cut = self._world.time(), True

    def _begin(self, href: str, node: str) -> Exchange:
        url = IDENTITY.parse(href)
        exchange = Exchange(href, url.key, url.host, node, self._world.time())
        page = self._web.find(url)
        if page is None or page.kind in ("missing", "gone"):
            exchange.status = 404
        elif page.target is not None:
            exchange.status, exchange.links = 301, (page.target.href,)
        else:
            exchange.links = tuple(page.linked)
        self.exchanges.append(exchange)
        return exchange

    def _end(self, exchange: Exchange, answered: "asyncio.Future[None]") -> None:
        if exchange.end:
            return
        exchange.end = self._world.time()
        if not answered.done() and not answered.get_loop().is_closed():
            answered.set_result(None)
