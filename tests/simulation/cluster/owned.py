"""One partition that a node owns: its view, frontier and hosts, and its epoch."""

import asyncio

from hondius.clock import Clock
from hondius.crawler.frontier import Frontier, Retries
from hondius.crawler.politeness import Hosts, parse_host
from hondius.model import HostState, OwnerMarker
from hondius.native import MemoryTree, UrlStore
from hondius.ports import Disk
from hondius.settings import FrontierSettings, PolitenessSettings
from hondius.stores.log.epochs import NOBODY, EpochFile, Fence
from hondius.stores.log.outbox import NotDelivered
from hondius.stores.log.partitions import collect_batch
from tests.simulation.cluster.broker import Broker, Producer
from tests.simulation.machine import FILTER_CAPACITY, HOT_KEYS


class Superseded(Exception):
    """Another node took over, or our own marker came late: our records are ignored."""


class Owned:
    """A marker takes the partition over. From then on the clock of every host starts at the hand-over, and the view
    applies the partition record by record."""

    def __init__(
        self,
        partition: int,
        node: str,
        tree: MemoryTree,
        disk: Disk,
        broker: Broker,
        producer: Producer,
        settings: PolitenessSettings,
        clock: Clock,
    ) -> None:
        self.partition = partition
        self._node = node
        self._broker = broker
        self._producer = producer
        self._clock = clock
        self._settings = settings
        self._epochs = EpochFile(disk, partition)
        self.urls = UrlStore(tree, capacity=FILTER_CAPACITY, cached_keys=HOT_KEYS)
        self._fence = Fence(self._epochs.find_epoch(self.urls.applied))
        self._states: dict[str, HostState] = {}
        self.epoch = NOBODY
        self.frontier = Frontier(self.urls, None, Retries({}), host_of=parse_host, settings=FrontierSettings())
        self.hosts = Hosts(settings, load=self._state, earliest=float("inf"), unfinished={})
        self.in_flight = 0
        self.giving_up = False
        self.doubtful = False
        """Whether it is unknown if our last record arrived: then a new epoch must begin."""
        self.settled = asyncio.Event()
        """Set while nothing of this partition is in progress."""
        self.settled.set()

    @property
    def ready(self) -> bool:
        return self.epoch != NOBODY and not self.giving_up

    async def take_over(self) -> None:
        while True:
            try:
                marker = OwnerMarker(self._node, self._clock.now())
                epoch = await self._producer.send(self.partition, marker, NOBODY)
                break
            except NotDelivered:
                continue
        while self.urls.applied <= epoch:
            await self._follow()
        if self._fence.epoch != epoch:
            raise Superseded
        earliest = self._clock.now() + self._settings.delay
        self.hosts = Hosts(self._settings, load=self._state, earliest=earliest, unfinished={})
        self.epoch = epoch
        self.frontier.wake(self.urls.origins())

    async def follow(self) -> None:
        """Applies records while we own the partition and no record is doubtful."""
        while self._fence.epoch == self.epoch and not self.doubtful:
            await self._follow()
        raise Superseded

    async def _follow(self) -> None:
        records = await self._broker.read(self.partition, self.urls.applied)
        if not records:
            return
        batch = collect_batch(records, self._fence)
        for offset, _ in batch.markers:
            self._epochs.add(offset)
        self._states |= batch.hosts
        woken = self.urls.apply(batch.next_offset, batch.discoveries, batch.ended())
        if self.epoch != NOBODY:
            self.frontier.wake(woken)

    def begin(self) -> None:
        self.in_flight += 1
        self.settled.clear()

    def end(self) -> None:
        self.in_flight -= 1
        if not self.in_flight:
            self.settled.set()

    def close(self) -> None:
        self.giving_up = True
        self.urls.close()

    def _state(self, name: str) -> HostState:
        """Every host counts as just contacted by the previous owner."""
        return self._states.get(name) or HostState(name, 0.0, 0.0)
