"""A broker: partitions that only grow, producers that are idempotent, a consumer group that hands out ownership.

It runs in its own process. If an acknowledgement is lost, the record is sent again, but not appended twice. If it is
too late, the producer does not know whether the record was appended.
"""

import asyncio
from collections import defaultdict
from random import Random
from typing import Any

from hondius.model import PartitionEvent
from hondius.stores.log.outbox import NotDelivered
from hondius.stores.log.partitions import Record
from tests.simulation.virtual_loop import VirtualLoop

SESSION = 10.0
PATIENCE = 8.0
"""Total seconds that a producer waits for an acknowledgement."""
RETRY = 1.5
POLL = 2.0


class Broker:
    def __init__(self, loop: VirtualLoop, partitions: int, chance: Random) -> None:
        self.loop = loop
        self.chance = chance
        self.records: list[list[Record]] = [[] for _ in range(partitions)]
        self.away_until = 0.0
        self.duplicates = 0
        self._taken: dict[tuple[str, int], int] = {}
        self._readers: dict[int, list[asyncio.Future[None]]] = defaultdict(list)

    def latency(self) -> float:
        return self.chance.expovariate(1 / 0.01) if self.chance.random() < 0.97 else self.chance.uniform(0.5, 6.0)

    def receive(self, producer: str, number: int, partition: int, event: PartitionEvent, epoch: int) -> int | None:
        """Appends a record once. None if the broker is away."""
        if self.loop.time() < self.away_until:
            return None
        offset = self._taken.get((producer, number))
        if offset is not None:
            self.duplicates += 1
            return offset
        offset = self._taken[producer, number] = len(self.records[partition])
        self.records[partition].append(Record(partition, offset, epoch, event))
        for reader in self._readers.pop(partition, ()):
            _settle(reader, None)
        return offset

    async def read(self, partition: int, after: int) -> list[Record]:
        """The records after an offset; waits a while if there are none."""
        if not self._readable(partition, after):
            reader: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._readers[partition].append(reader)
            asyncio.get_running_loop().call_later(POLL, _settle, reader, None)
            await reader
        if not self._readable(partition, after):
            return []
        return self.records[partition][after : after + self.chance.randint(1, 200)]

    def _readable(self, partition: int, after: int) -> bool:
        return len(self.records[partition]) > after and self.loop.time() >= self.away_until


class Producer:
    """One per process. The broker recognises resent records by its name and their number."""

    def __init__(self, broker: Broker, name: str) -> None:
        self._broker = broker
        self._name = name
        self._number = 0

    async def send(self, partition: int, event: PartitionEvent, epoch: int) -> int:
        self._number += 1
        acknowledged: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._try(acknowledged, self._number, partition, event, epoch)
        try:
            async with asyncio.timeout(PATIENCE):
                return await acknowledged
        except TimeoutError:
            raise NotDelivered(f"partition {partition}") from None

    def _try(self, acknowledged: "asyncio.Future[int]", number: int, *record: Any) -> None:
        """Sends until it is acknowledged or abandoned; the last try may still arrive after that."""
        if acknowledged.done():
            return
        broker, loop = self._broker, acknowledged.get_loop()
        broker.loop.call_later(broker.latency(), self._arrive, acknowledged, number, record)
        loop.call_later(RETRY, self._try, acknowledged, number, *record)

    def _arrive(self, acknowledged: "asyncio.Future[int]", number: int, record: tuple[Any, ...]) -> None:
        broker = self._broker
        offset = broker.receive(self._name, number, *record)
        if offset is not None and broker.chance.random() > 0.05:
            broker.loop.call_later(broker.latency(), _settle, acknowledged, offset)


class Group:
    """Assigns partitions to members. A member without a heartbeat for a session is removed."""

    def __init__(self, broker: Broker, partitions: int) -> None:
        self._broker = broker
        self._seen: dict[str, float] = {}
        self._owner: dict[int, str | None] = dict.fromkeys(range(partitions))
        self._target: dict[int, str | None] = dict.fromkeys(range(partitions))
        self.moves = 0

    async def heartbeat(self, member: str, joined: bool, held: frozenset[int]) -> frozenset[int] | None:
        """Returns the partitions of a member; `held` are those that it has not released yet. None if it was removed."""
        answer: asyncio.Future[frozenset[int] | None] = asyncio.get_running_loop().create_future()
        self._broker.loop.call_later(self._broker.latency(), self._hear, answer, member, joined, held)
        return await answer

    def expire(self) -> None:
        now = self._broker.loop.time()
        gone = [member for member, seen in self._seen.items() if now - seen > SESSION]
        for member in gone:
            del self._seen[member]
            self._owner = {part: None if owner == member else owner for part, owner in self._owner.items()}
        if gone:
            self._rebalance()

    def _hear(
        self, answer: "asyncio.Future[frozenset[int] | None]", member: str, joined: bool, held: frozenset[int]
    ) -> None:
        if self._broker.loop.time() < self._broker.away_until:
            return
        self.expire()
        if member not in self._seen and joined:
            self._reply(answer, None)
            return
        is_new = member not in self._seen
        self._seen[member] = self._broker.loop.time()
        if is_new:
            self._rebalance()
        self._let_go(member, held)
        mine = frozenset(part for part, owner in self._owner.items() if owner == member == self._target[part])
        self._reply(answer, mine)

    def _let_go(self, member: str, held: frozenset[int]) -> None:
        """Gives released partitions to their new owners."""
        for part, target in self._target.items():
            owner = self._owner[part]
            if owner is None or (owner == member and target != member and part not in held):
                self.moves += owner != target
                self._owner[part] = target

    def _rebalance(self) -> None:
        """Balances the partitions with as few moves as possible."""
        members = sorted(self._seen)
        if not members:
            self._target = dict.fromkeys(self._target)
            return
        share = -(-len(self._target) // len(members))
        counts = dict.fromkeys(members, 0)
        targets: dict[int, str | None] = {}
        for part, owner in self._owner.items():
            if owner in counts and counts[owner] < share:
                counts[owner] += 1
                targets[part] = owner
        for part in self._target:
            if part not in targets:
                poorest = min(members, key=lambda member: (counts[member], member))
                counts[poorest] += 1
                targets[part] = poorest
        self._target = {part: targets[part] for part in self._target}

    def _reply(self, answer: "asyncio.Future[frozenset[int] | None]", value: frozenset[int] | None) -> None:
        self._broker.loop.call_later(self._broker.latency(), _settle, answer, value)


def _settle(future: "asyncio.Future[Any]", value: Any) -> None:
    """The caller may be gone."""
    if not future.done() and not future.get_loop().is_closed():
        future.set_result(value)
