"""One seed of a cluster: nodes come, go, freeze and wake until every URL has ended."""

import hashlib
from collections import Counter
from random import Random

from hondius.model import Discovered
from hondius.native import MemoryTree, UrlStore
from hondius.settings import PolitenessSettings
from hondius.stores.disk.simulated import SimulatedDisk
from hondius.stores.log.epochs import NOBODY
from hondius.stores.log.partitions import partition_of
from tests.simulation.cluster.broker import Broker, Group
from tests.simulation.cluster.node import Node
from tests.simulation.cluster.processes import Processes
from tests.simulation.cluster.wires import Wires
from tests.simulation.machine import FILTER_CAPACITY, HOT_KEYS
from tests.simulation.simulation import Violation
from tests.simulation.virtual_loop import VirtualLoop, VirtualTime
from tests.simulation.web import Web

CALM_AFTER = 240.0
"""Seconds until all trouble ends."""
TOO_LONG = 6_000.0
CHECK_EVERY = 500


class Seat:
    """A machine of the cluster: its process may die, its files stay."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.trees: dict[int, MemoryTree] = {}
        self.disk = SimulatedDisk()
        self.incarnation = 0
        self.node: Node | None = None
        self.loop: VirtualLoop | None = None


class ClusterSimulation:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.chance = Random(f"cluster {seed}")
        self.time = VirtualTime()
        self.dawn = self.time.now()
        self.settings = PolitenessSettings(delay=1.0, address_gap=0.0)
        self.web = Web(seed, self.dawn)
        self.partitions = self.chance.choice((4, 8, 13))
        self.world = VirtualLoop(self.time, self.chance, lambda step: 0.001)
        self.broker = Broker(self.world, self.partitions, self.chance)
        self.group = Group(self.broker, self.partitions)
        self.wires = Wires(self.web, self.world, self.chance)
        self.processes = Processes(self.time)
        self.processes.add(self.world)
        self.seats = [Seat(number) for number in range(self.chance.randint(3, 5))]
        self.counts: Counter[str] = Counter()
        self.story: list[str] = []

    @property
    def trace(self) -> str:
        text = "".join(f"{one.href} {one.start!r} {one.end!r} {one.node};" for one in self.wires.exchanges)
        return hashlib.sha256((text + "\n".join(self.story)).encode()).hexdigest()

    def run(self) -> None:
        self._sow()
        for seat in self.seats:
            self._start(seat)
        self._tick()
        while not self._is_over():
            for _ in range(CHECK_EVERY):
                self.processes.step()
                self.counts["events"] += 1
            self._raise_faults()
            if self.time.now() > self.dawn + TOO_LONG:
                raise Violation(f"the cluster does not end: {self._left()}")
        self.counts["moves"] = self.group.moves
        self.counts["sends withheld by a deadline"] = self.wires.not_sent
        self.counts["records sent twice"] = self.broker.duplicates

    def stop(self) -> None:
        for seat in self.seats:
            if seat.loop is not None:
                self._kill(seat)
        self.world.bury()

    def _sow(self) -> None:
        """Seeds come from outside, acknowledged before the nodes start."""
        store = UrlStore(":memory:", capacity=FILTER_CAPACITY, cached_keys=HOT_KEYS)
        for page in self.web.seeds:
            found = store.admit(
                [(page.href, page.url.key)],
                None,
                depth=0,
                priority=0.5,
                discovered_at=self.dawn,
                max_depth=None,
                via="seed",
            )
            part = partition_of(page.host.name, self.partitions)
            self.broker.receive("seeds", page.host.number, part, Discovered(found.data, found.count), NOBODY)

    def _start(self, seat: Seat) -> None:
        seat.incarnation += 1
        seat.loop = VirtualLoop(self.time, self.chance, lambda step: 0.001)
        seat.node = Node(
            f"n{seat.number}.{seat.incarnation}",
            self.broker,
            self.group,
            self.wires,
            seat.trees,
            seat.disk,
            self.settings,
            self.time,
        )
        self.processes.add(seat.loop)
        seat.loop.create_task(seat.node.run())

    def _kill(self, seat: Seat) -> None:
        assert seat.loop is not None
        assert seat.node is not None
        self.processes.remove(seat.loop)
        self.wires.cut(seat.node.name)
        for partition, owned in seat.node.owned.items():
            tree = seat.trees[partition]
            tree.lose(self.chance.randint(0, tree.unsynced))
            owned.urls.close()
        seat.disk = seat.disk.restarted()
        seat.loop.bury()
        seat.loop = seat.node = None

    def _tick(self) -> None:
        """Causes trouble every few seconds, until CALM_AFTER."""
        self.group.expire()
        self.world.call_later(0.5, self._tick)
        if self.time.now() < self.dawn + CALM_AFTER and self.chance.random() < 0.08:
            self._strike(self.chance.choice(self.seats))

    def _strike(self, seat: Seat) -> None:
        blow = self.chance.choice(("kill", "freeze", "freeze", "broker"))
        if blow == "broker":
            self.broker.away_until = self.time.now() + self.chance.choice((1.0, 5.0, 20.0))
            self.counts["broker outages"] += 1
        elif seat.loop is None:
            return
        elif blow == "kill":
            self._kill(seat)
            self.world.call_later(self.chance.choice((1.0, 15.0, 40.0)), self._start, seat)
            self.counts["node kills"] += 1
        else:
            self.processes.freeze(seat.loop, self.time.now() + self.chance.choice((2.0, 12.0, 30.0)))
            self.counts["node freezes"] += 1
        self.story.append(f"{self.time.now() - self.dawn:.3f} {blow} {seat.number}")

    def _raise_faults(self) -> None:
        for loop in [self.world, *(seat.loop for seat in self.seats if seat.loop is not None)]:
            if loop.faults:
                raise Violation(f"nobody caught {loop.faults[0]!r}") from loop.faults[0]

    def _left(self) -> dict[int, tuple[int, int]]:
        return {
            part: (owned.urls.counts()["queued"], owned.urls.applied - len(self.broker.records[part]))
            for seat in self.seats
            if seat.node is not None
            for part, owned in seat.node.owned.items()
        }

    def _is_over(self) -> bool:
        """Whether all trouble is over, every partition has an owner that has applied all records, and nothing is
        queued."""
        if self.time.now() < self.dawn + CALM_AFTER + 60:
            return False
        left = self._left()
        return len(left) == self.partitions and not any(any(pair) for pair in left.values())
