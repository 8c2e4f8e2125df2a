"""Keeps the journeys going: hands out URLs while there is room, and knows when the crawl is over (F9)."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hondius.clock import Clock
from hondius.crawler.budgets import HostBudgets
from hondius.crawler.commit import Commit, Outcome
from hondius.crawler.control import Mailbox, Order
from hondius.crawler.endings import Endings
from hondius.crawler.errands import Errands
from hondius.crawler.frontier import BackQueue, Frontier
from hondius.crawler.journey import Journey
from hondius.crawler.page import Links
from hondius.crawler.politeness import Gate, Host, Hosts, Turns
from hondius.crawler.seeds import Seed
from hondius.crawler.statistics import Statistics
from hondius.model import AnyEvent, HostOrder, RunEnded, RunStarted, ScopeExtended, Wanted
from hondius.native import LinkPolicy, QueuedUrl
from hondius.settings import Settings

NOTHING_DUE_WITHIN = 59.0
"""F9's minute, less what passes between setting a minute's wait and asking for it here."""
DRAIN = 10.0
LEASE = 300.0
BUSY_HOST = 0.05
MOST_SERVED = 2_000
"""Origins looked at before signals, limits and answers get their turn."""
ERRANDS = 4
"""Errands under way for each journey that may be: they wait for names and robots.txt more than they work."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run needs, wired by `assemble.py`."""

    frontier: Frontier
    budgets: HostBudgets
    hosts: Hosts
    turns: Turns
    gate: Gate
    errands: Errands
    journey: Journey
    endings: Endings
    links: Links
    commit: Commit
    policy: LinkPolicy
    mailbox: Mailbox
    statistics: Statistics
    settings: Settings
    clock: Clock


class Run:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._wake = asyncio.Event()
        self._journeys: set[asyncio.Task[None]] = set()
        self._errands: set[asyncio.Task[None]] = set()
        self._stopping = ""
        self._reason = "interrupted"
        self._failure: BaseException | None = None
        self._look_again = 0.0

    @property
    def in_flight(self) -> int:
        return len(self._journeys)

    def wake(self) -> None:
        self._wake.set()

    def begin(self, seeds: Sequence[Seed], version: str, agent: str) -> int:
        """Writes down that a run started, and its seeds; returns how many of them nobody knew."""
        parts = self._parts
        now = parts.clock.now()
        rules = msgspec.to_builtins(parts.settings.politeness)
        started = RunStarted(now, version, agent, rules)
        events: list[AnyEvent] = [started, *(ScopeExtended(seed.url.href) for seed in seeds)]
        found = parts.links.of_seeds(((seed.url, seed.priority) for seed in seeds), now)
        events += parts.endings.refusals(found)
        parts.commit.leave(Outcome(events=events, discoveries=found))
        parts.commit.hurry()
        return sum(some.count for some in found)

    def end(self) -> None:
        self._parts.commit.leave(Outcome(events=[RunEnded(self._parts.clock.now(), self._reason)]))

    def commit_ended(self, task: asyncio.Task[None]) -> None:
        """Nothing can be kept any more: the crawl ends with what went wrong."""
        if not task.cancelled() and task.exception() is not None:
            self._failure = self._failure or task.exception()
        self._wake.set()

    def stop(self, reason: str) -> None:
        """No new URL is handed out; what is under way ends by itself."""
        self._stopping = self._stopping or reason
        self._wake.set()

    async def until_over(self) -> str:
        """Returns why the crawl stopped. What was under way has ended or was given back."""
        while True:
            self._wake.clear()
            self._obey()
            self._feed()
            reason = self._stopping or self._limit() or self._over()
            if self._failure is not None:
                raise self._failure
            if reason:
                self._reason = reason
                await self._drain()
                return reason
            await self._sleep()

    def _obey(self) -> None:
        """Orders from other processes, looked for once a second."""
        parts = self._parts
        now = parts.clock.now()
        if now < self._look_again:
            return
        self._look_again = now + 1.0
        for order, done in parts.mailbox.orders():
            parts.commit.leave(self._obeyed(order, done))

    def _obeyed(self, order: Order, done: Callable[[], None]) -> Outcome:
        parts = self._parts
        if isinstance(order, Wanted):
            found = parts.links.again(order.urls, parts.clock.now(), order.depth)
            return Outcome(events=parts.endings.refusals([found]), discoveries=[found], durable=done)
        if isinstance(order, HostOrder):
            parts.hosts.obey(order)
        elif order.lifted:
            parts.policy.lift(order.domain)
        else:
            parts.policy.blacklist(order.domain)
        return Outcome(events=[order], durable=done)

    def _feed(self) -> None:
        """Hands out as much as there is room for."""
        if self._stopping or self._limit():
            return
        parts = self._parts
        now = parts.clock.now()
        for _ in range(MOST_SERVED):
            if self._is_full() or not self._page_allowed() or not parts.commit.accepts():
                return
            queue = parts.frontier.pop(now)
            if queue is None:
                return
            self._serve(queue, now)
        self._wake.set()

    def _serve(self, queue: BackQueue, now: float) -> None:
        parts = self._parts
        host = parts.hosts.get(queue.host)
        if host.busy:
            parts.frontier.put_back(queue, now + BUSY_HOST)
        elif limit := parts.budgets.spent(host):
            parts.frontier.shelve(queue, limit)
        elif not parts.gate.is_open(host, queue.origin, now):
            self._start(self._errands, parts.errands.prepare(parts.gate, queue))
        else:
            self._hand_out(queue, host, host.addresses[0], now)

    def _hand_out(self, queue: BackQueue, host: Host, address: str, now: float) -> None:
        parts = self._parts
        when = parts.turns.come_back_at(host, address, now)
        if when > now:
            return parts.frontier.put_back(queue, when)
        url = parts.frontier.take(queue, now)
        if url is None:
            return parts.frontier.drop(queue)
        if not isinstance(url, QueuedUrl):
            return parts.frontier.put_back(queue, url)
        refused = "blacklisted" if parts.policy.bans(url.href) else parts.frontier.worth(url)
        if refused:
            parts.endings.unworthy(url, refused)
            return parts.frontier.put_back(queue, now)
        parts.budgets.asked(host)
        parts.turns.begin(host, address, now)
        return self._start(self._journeys, self._travel(url, queue, host, address))

    async def _travel(self, url: QueuedUrl, queue: BackQueue, host: Host, address: str) -> None:
        parts = self._parts
        try:
            async with asyncio.timeout(LEASE):
                await parts.journey.take(url, queue, host, address)
        except TimeoutError:
            parts.turns.cancel(host, address)
            parts.endings.lease_ended(url, queue)
        finally:
            parts.frontier.put_back(queue, host.not_before if parts.turns.waits else 0.0)

    def _start(self, tasks: set[asyncio.Task[None]], work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        tasks.add(task)
        task.add_done_callback(lambda done: self._ended(tasks, done))

    def _ended(self, tasks: set[asyncio.Task[None]], task: asyncio.Task[None]) -> None:
        tasks.discard(task)
        self._wake.set()
        if not task.cancelled() and task.exception() is not None:
            self._failure = self._failure or task.exception()

    def _page_allowed(self) -> bool:
        most = self._parts.settings.limits.max_pages
        return most is None or self._parts.statistics.pages + len(self._journeys) < most

    def _limit(self) -> str:
        limits, statistics = self._parts.settings.limits, self._parts.statistics
        if limits.max_pages is not None and statistics.pages >= limits.max_pages:
            return "max_pages"
        if limits.max_bytes is not None and statistics.wire_bytes >= limits.max_bytes:
            return "max_bytes"
        if limits.max_time is not None and self._parts.clock.now() - statistics.started_at >= limits.max_time:
            return "max_time"
        return ""

    def _over(self) -> str:
        if self._journeys or self._errands:
            return ""
        if not self._parts.commit.idle:
            self._parts.commit.hurry()
            return ""
        due = self._parts.frontier.next_time()
        if due is None:
            shelved = self._parts.frontier.shelved.most_common(1)
            return shelved[0][0] if shelved else "done"
        return "waiting" if due > self._parts.clock.now() + NOTHING_DUE_WITHIN else ""

    async def _sleep(self) -> None:
        """Until something happens: an answer, a commit, or the next origin's time."""
        if self._wake.is_set():
            return await asyncio.sleep(0)
        due = self._parts.frontier.next_time()
        wait = 0.5 if due is None or self._is_full() else min(0.5, max(0.001, due - self._parts.clock.now()))
        handle = asyncio.get_running_loop().call_later(wait, self._wake.set)
        await self._wake.wait()
        return handle.cancel()

    def _is_full(self) -> bool:
        most = self._parts.settings.fetch.concurrency
        return len(self._journeys) >= most or len(self._errands) >= ERRANDS * most

    async def _drain(self) -> None:
        for task in self._errands:
            task.cancel()
        if self._journeys:
            await asyncio.wait(self._journeys, timeout=DRAIN)
        left = [*self._journeys, *self._errands]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
