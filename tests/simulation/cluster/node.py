"""One node: keeps its membership, takes over assigned partitions, releases others, and crawls."""

import asyncio
from collections import defaultdict
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
from typing import Any

from hondius.clock import Clock
from hondius.crawler.frontier import BackQueue
from hondius.crawler.politeness import Host
from hondius.model import AnyEvent, Discovered, Finished, State
from hondius.native import Discoveries, MemoryTree, QueuedUrl, UrlStore
from hondius.ports import Disk
from hondius.settings import PolitenessSettings
from hondius.stores.log.outbox import Sent, send_page
from hondius.stores.log.partitions import partition_of
from tests.simulation.cluster.broker import SESSION, Broker, Group, Producer
from tests.simulation.cluster.owned import Owned, Superseded
from tests.simulation.cluster.wires import NotSent, Wires
from tests.simulation.machine import FILTER_CAPACITY, HOT_KEYS
from tests.simulation.web import IDENTITY
from tests.turns import address_turns

HEARTBEAT = 2.0
MARGIN = SESSION / 2
"""Seconds. A request that was sent just before the right to send expired has half a session to be answered before
another node can own the host."""
FEED = 0.2


@dataclass(frozen=True, slots=True)
class Answered:
    """What a host learns from an answer."""

    ticket: int
    started_at: float
    ended_at: float
    status: int
    is_redirect: bool
    failure: str | None = None
    retry_after: float | None = None
    wire_bytes: int = 0


class Node:
    """`trees` and `disk` outlive it; everything else ends with its process."""

    def __init__(
        self,
        name: str,
        broker: Broker,
        group: Group,
        wires: Wires,
        trees: dict[int, MemoryTree],
        disk: Disk,
        settings: PolitenessSettings,
        clock: Clock,
    ) -> None:
        self.name = name
        self._broker = broker
        self._group = group
        self._wires = wires
        self._trees = trees
        self._disk = disk
        self._settings = settings
        self._clock = clock
        self._turns = address_turns(settings, clock)
        self._producer = Producer(broker, name)
        self._sent = UrlStore(":memory:", capacity=FILTER_CAPACITY, cached_keys=HOT_KEYS)
        """URLs that were sent to the partitions. It is exact: a filter with false positives would lose URLs."""
        self.owned: dict[int, Owned] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._others: set[asyncio.Task[None]] = set()
        self._leaving: set[int] = set()
        self._joined = 0
        self._answers = 0
        self.deadline = 0.0
        """No request is sent after this time: the group may have given our partitions to others."""

    async def run(self) -> None:
        while True:
            self._start(self._keep_feeding())
            await self._live_as_member()
            tasks = [*self._tasks.values(), *self._others]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._leaving.clear()
            for owned in self.owned.values():
                owned.close()
            self.owned, self._tasks = {}, {}

    async def _live_as_member(self) -> None:
        """Runs until the group has removed us."""
        self._joined += 1
        member, joined = f"{self.name}/{self._joined}", False
        while True:
            asked = self._clock.now()
            try:
                async with asyncio.timeout(SESSION):
                    mine = await self._group.heartbeat(member, joined, frozenset(self._tasks))
            except TimeoutError:
                continue
            if mine is None:
                return
            joined, self.deadline = True, asked + SESSION - MARGIN
            self._adjust(mine)
            await self._clock.sleep_until(asked + HEARTBEAT)

    def _adjust(self, mine: frozenset[int]) -> None:
        for partition in sorted(mine - self._tasks.keys()):
            self._tasks[partition] = asyncio.create_task(self._own(partition))
        for partition in sorted(self._tasks.keys() - mine - self._leaving):
            self._leaving.add(partition)
            self._start(self._let_go(partition, self._tasks[partition]))

    async def _let_go(self, partition: int, task: "asyncio.Task[None]") -> None:
        """Waits for requests in progress: the next owner starts its clocks when it takes over."""
        if (owned := self.owned.get(partition)) is not None:
            owned.giving_up = True
            await owned.settled.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        del self._tasks[partition]
        self._leaving.discard(partition)

    async def _own(self, partition: int) -> None:
        while True:
            owned = self._open(partition)
            try:
                await owned.take_over()
                await owned.follow()
            except Superseded:
                owned.giving_up = True
                await owned.settled.wait()
            finally:
                self.owned.pop(partition, None)
                owned.close()

    def _open(self, partition: int) -> Owned:
        tree = self._trees.setdefault(partition, MemoryTree())
        owned = self.owned[partition] = Owned(
            partition,
            self.name,
            tree,
            self._disk,
            self._broker,
            self._producer,
            self._settings,
            self._clock,
        )
        return owned

    async def _keep_feeding(self) -> None:
        """Runs besides the heartbeat: a node that wakes up continues handing out before it learns that it was
        removed."""
        while True:
            self._feed()
            await asyncio.sleep(FEED)

    def _feed(self) -> None:
        now = self._clock.now()
        for owned in list(self.owned.values()):
            while owned.ready and (queue := owned.frontier.pop_queue(now)) is not None:
                self._serve(owned, queue, now)

    def _serve(self, owned: Owned, queue: BackQueue, now: float) -> None:
        host = owned.hosts.get(queue.host)
        address = self._wires.address(queue.host)
        when = max(self._turns.come_back_at(host, address, now), now + 0.1 if host.busy else 0.0)
        if when > now:
            return owned.frontier.put_back(queue, when)
        url = owned.frontier.pop_url(queue, now)
        if url is None:
            return owned.frontier.drop(queue)
        if not isinstance(url, QueuedUrl):
            return owned.frontier.put_back(queue, url)
        self._turns.begin(host, address, now)
        owned.begin()
        return self._start(self._travel(owned, queue, host, address, url))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._others.add(task)
        task.add_done_callback(self._others.discard)

    async def _travel(self, owned: Owned, queue: BackQueue, host: Host, address: str, url: QueuedUrl) -> None:
        try:
            answer = await self._wires.fetch(url.href, self.name, lambda: self.deadline)
            self._turns.release(address)
            self._answers += 1
            host.end_request(Answered(self._answers, answer.start, answer.end, answer.status, answer.status == 301))
            event = _finished(url, host, answer.status, answer.start, answer.end)
            sent = await self._send(owned, url, answer.links, [host.make_state(self._clock.now()), event])
            if sent is Sent.NOT_ENDED:
                owned.frontier.retry_later(queue, url, 0, self._clock.now() + 1.0)
            elif sent is Sent.UNKNOWN:
                owned.giving_up = owned.doubtful = True
        except NotSent:
            self._turns.cancel(host, address)
            owned.frontier.retry_later(queue, url, 0, self._clock.now() + 1.0)
        finally:
            owned.end()
            owned.frontier.put_back(queue, host.not_before)

    async def _send(self, owned: Owned, url: QueuedUrl, links: Iterable[str], last: list[AnyEvent]) -> Sent:
        """URLs that were not acknowledged do not count as known."""
        found = self._found(url, links)
        sent = Sent.NOT_ENDED
        try:
            messages = {part: Discovered(some.data, some.count) for part, some in found.items() if some.count}
            sent = await send_page(self._producer, owned.partition, owned.epoch, messages, last)
        finally:
            if sent is not Sent.ENDED:
                self._sent.forget_pending([some.data for some in found.values()])
        return sent

    def _found(self, url: QueuedUrl, links: Iterable[str]) -> dict[int, Discoveries]:
        groups: dict[int, list[tuple[str, bytes]]] = defaultdict(list)
        for href in links:
            parsed = IDENTITY.parse(href)
            groups[partition_of(parsed.host, len(self._broker.records))].append((parsed.href, parsed.key))
        return {
            part: self._sent.admit(
                urls,
                None,
                depth=url.depth + 1,
                priority=0.5,
                discovered_at=self._clock.now(),
                max_depth=None,
                via="link",
                source=url.key,
            )
            for part, urls in groups.items()
        }


def _finished(url: QueuedUrl, host: Host, status: int, start: float, end: float) -> Finished:
    return Finished(
        key=url.key,
        url=url.href,
        key_form=url.href,
        host=host.name,
        state=State.COMPLETED if status == 200 else State.FAILED,
        cause="" if status == 200 else f"http_{status}",
        started_at=start,
        fetched_at=end,
        status=status,
    )
