"""Keeps the journeys going: hands out URLs while there is room, and knows when the crawl is over (F9)."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import msgspec

from hondius.clock import Clock
from hondius.crawler.blacklist import Blacklist
from hondius.crawler.boundary import Boundary
from hondius.crawler.budgets import HostBudgets
from hondius.crawler.commit import Commit, Outcome, broken_view
from hondius.crawler.control import by_clock
from hondius.crawler.endings import Endings
from hondius.crawler.errands import Errands
from hondius.crawler.frontier import BackQueue, Frontier
from hondius.crawler.journey import Journey
from hondius.crawler.page import Links
from hondius.crawler.politeness import NOTHING, AddressTurns, Host, Hosts, RobotsDesk, Rules, host_of
from hondius.crawler.rereading import Rereading
from hondius.crawler.second_tries import queue_second_tries
from hondius.crawler.seed_loading import SeedLoading
from hondius.crawler.slots import Slots
from hondius.crawler.statistics import Statistics
from hondius.errors import BrokenView, is_internal
from hondius.model import REOPENED, HostOrder, NewSeeds, Order, RunEnded, RunStarted, Wanted
from hondius.native import NativeError, QueuedUrl
from hondius.ports import Attempts, Orders, PartitionView
from hondius.settings import Settings

INTERRUPTED = "interrupted"
NOTHING_DUE_WITHIN = 59.0
"""F9's minute, less what passes between setting a minute's wait and asking for it here."""
PACE_SLACK = 1.0
"""Seconds that an address which hosts share may add to a host's own delay."""
LONGEST_PACE = 86_400.0
"""Seconds; robots.txt is kept for no longer (B2), so that of a host which wants more between two requests nothing else
would ever be asked for. That is a wait."""
MOST_PACED = 1_000
"""Waiting origins that are looked at before the crawl is over."""
DRAIN = 10.0
"""Seconds that requests under way get to end when the run ends by itself. What has not ended then is called off, and
its URL stays queued."""
DRAIN_INTERRUPTED = 2.0
"""The same, from the moment that somebody interrupts it."""
DRAIN_ERRANDS = 2.0
"""The same for hosts that are being prepared."""
DRAIN_LOOK = 0.1
"""Seconds between two looks at what is still under way."""
DRAIN_CANCELLED = 5.0
"""For the engine to confirm that what was called off is over; it does so at once."""
BUSY_HOST = 0.05
FULL_LANE = 1.0
MOST_OBEYED = 10
"""Orders obeyed at a time: each may bring a thousand seeds. More of them are obeyed in the next round."""
MOST_SERVED = 250
"""Origins looked at before signals, limits and answers get their turn."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run needs, wired by `assemble.py`."""

    frontier: Frontier
    budgets: HostBudgets
    hosts: Hosts
    turns: AddressTurns
    robots: RobotsDesk
    errands: Errands
    journey: Journey
    endings: Endings
    boundary: Boundary
    links: Links
    seeds: SeedLoading
    commit: Commit
    rereading: Rereading
    blacklist: Blacklist
    orders: Orders
    statistics: Statistics
    settings: Settings
    clock: Clock
    attempts: Attempts


class Run:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._wake = asyncio.Event()
        self._journeys = Slots.in_flight(parts.settings.fetch.concurrency)
        self._errands = Slots.prepared(parts.settings.fetch.concurrency)
        self._rereading: asyncio.Task[None] | None = None
        self._unprepared: deque[BackQueue] = deque()
        """Origins that wait for an errand to begin."""
        self._stopping = ""
        self._interrupted_at: float | None = None
        """By the clock of the event loop."""
        self._reason = INTERRUPTED
        self._failure: BaseException | None = None
        self._look_again = 0.0

    @property
    def seeds(self) -> SeedLoading:
        return self._parts.seeds

    @property
    def in_flight(self) -> int:
        return len(self._journeys)

    @property
    def preparing(self) -> int:
        """Origins whose name or robots.txt is being asked for, or waits to be."""
        return len(self._errands) + len(self._unprepared)

    @property
    def under_way(self) -> int:
        """What is waited for when the run is interrupted: requests and look-ups, but for those that have not begun."""
        return len(self._journeys) + max(0, len(self._errands) - self._parts.turns.claims)

    def wake(self) -> None:
        self._wake.set()

    def begin(self, version: str, agent: str) -> None:
        """Writes down that a run started, and the first of its seeds, in one frame."""
        rules = msgspec.to_builtins(self._parts.settings.politeness)
        try:
            number = self._parts.attempts.number
            self._parts.seeds.begin(RunStarted(self._parts.clock.now(), version, agent, rules, number))
        except NativeError as error:
            self._went_wrong(error)

    async def load_seeds(self) -> None:
        """The others. What goes wrong with them is told by `until_over`."""
        try:
            await self._parts.seeds.load()
        except Exception as error:
            self._went_wrong(error)
        self._wake.set()

    def try_again(self, view: PartitionView, version: str) -> None:
        """What a bug of another version ended is queued again."""
        parts = self._parts
        try:
            queue_second_tries(view, parts.links, parts.commit, version, parts.clock.now())
        except NativeError as error:
            self._went_wrong(error)

    def end(self) -> None:
        self._parts.commit.leave(Outcome(events=[RunEnded(self._parts.clock.now(), self._reason)]))

    def commit_ended(self, task: asyncio.Task[None]) -> None:
        """Nothing can be kept any more: the crawl ends with what went wrong."""
        if not task.cancelled() and task.exception() is not None:
            self._failure = self._failure or task.exception()
        self._wake.set()

    def stop(self, reason: str) -> None:
        """No new URL is handed out; what is under way has a while to end by itself, less where it is interrupted."""
        if reason == INTERRUPTED and self._interrupted_at is None:
            self._interrupted_at = asyncio.get_running_loop().time()
        self._stopping = reason if self._stopping in ("", REOPENED) else self._stopping
        self._wake.set()

    async def until_over(self) -> str:
        """Returns why the crawl stopped. What was under way has ended or was given back."""
        while True:
            self._wake.clear()
            reason = self._go_on()
            if self._failure is not None:
                raise self._failure
            if reason:
                await self._drain()
                await self._until_kept()
                self._reason = self._stopping if reason == REOPENED else reason
                return self._reason
            await self._sleep()

    def _go_on(self) -> str:
        """Does what is due; why it is over, if it is."""
        try:
            self._look_around()
            self._feed()
            self._reread()
            return self._stopping or self._limit() or self._over()
        except (BrokenView, NativeError) as error:
            self._went_wrong(error)
            return self._stopping

    def _went_wrong(self, error: BaseException) -> None:
        """A view that is damaged stops the run, not the crawl: all that was left to the commit is in the log, and what
        was not is queued in the view that is made anew."""
        broken = broken_view(error)
        if broken is None:
            self._failure = self._failure or error
        else:
            self._parts.commit.give_up(broken)

    def _look_around(self) -> None:
        """Once a second: are there orders from other processes, did something not come back in time?"""
        parts = self._parts
        now = parts.clock.now()
        if now < self._look_again:
            return
        orders = list(islice(parts.orders.orders(), MOST_OBEYED))
        self._look_again = now if len(orders) == MOST_OBEYED else now + 1.0
        for order, done in orders:
            parts.commit.leave(self._obeyed(order, done))
        parts.journey.requests.call_off_overdue()

    def _obeyed(self, order: Order, done: Callable[[], None]) -> Outcome:
        parts = self._parts
        order = by_clock(order, parts.clock)
        if isinstance(order, Wanted):
            found = parts.links.again(order, parts.clock.now())
            return Outcome(events=parts.endings.refusals([found]), discoveries=[found], durable=done)
        if isinstance(order, NewSeeds):
            return parts.seeds.ordered(order, done)
        if isinstance(order, HostOrder):
            parts.hosts.obey(order)
            parts.frontier.ask_again(order.host, parts.clock.now())
        elif order.lifted:
            parts.blacklist.lift(order.domain)
        else:
            parts.blacklist.add(order.domain)
        return Outcome(events=[order], durable=done)

    def _reread(self) -> None:
        """The links of pages that were found closer, or led out of a scope that has grown, a batch at a time."""
        if self._rereading is not None or self._stopping or not self._parts.commit.accepts():
            return
        if pages := self._parts.rereading.listed.due():
            self._rereading = asyncio.create_task(self._parts.rereading.take_up(pages))
            self._rereading.add_done_callback(self._reread_ended)

    def _reread_ended(self, task: asyncio.Task[None]) -> None:
        self._rereading = None
        self._wake.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            self._went_wrong(error)

    def _feed(self) -> None:
        """Hands out as much as there is room for."""
        if self._stopping or self._limit():
            return
        parts = self._parts
        now = parts.clock.now()
        for _ in range(MOST_SERVED):
            if not self._unprepared or self._errands.are_full(now) or not parts.commit.accepts():
                break
            self._within_boundary(self._prepare, self._unprepared.popleft(), now)
        for _ in range(MOST_SERVED):
            if self._journeys.are_full(now) or not self._may_hand_out():
                return
            queue = parts.frontier.pop(now, len(self._unprepared))
            if queue is None:
                return
            self._within_boundary(self._serve, queue, now)
        self._wake.set()

    def _within_boundary(self, step: Callable[[BackQueue, float], None], queue: BackQueue, now: float) -> None:
        try:
            step(queue, now)
        except BaseException as error:
            if not is_internal(error):
                raise
            self._parts.boundary.end_preparation(queue, error)

    def _serve(self, queue: BackQueue, now: float) -> None:
        parts = self._parts
        host = parts.hosts.get(queue.host)
        if not host.offer_queue():
            parts.frontier.put_back(queue, now + BUSY_HOST)
        elif self._has_no_place(host):
            parts.frontier.put_back(queue, now + FULL_LANE)
        elif limit := parts.budgets.spent(host):
            parts.frontier.shelve(queue, limit)
        else:
            rules = parts.robots.rules(queue.origin) if host.has_address(now) else None
            if rules is not None and host.prepare(rules, now) is NOTHING:
                self._hand_out(queue, host, host.addresses[0], rules, now)
            else:
                self._prepare(queue, now)

    def _has_no_place(self, host: Host) -> bool:
        """Whether all places are taken that slow hosts, or newcomers, may have (P4)."""
        if host.is_slow and self._journeys.slow_lane_is_full():
            return True
        return not host.has_answered and self._journeys.newcomers_are_full()

    def _prepare(self, queue: BackQueue, now: float) -> None:
        """Its host needs an address or a robots.txt. Where too many do, it stands in line for that, out of the way of
        those that are ready."""
        parts = self._parts
        host = parts.hosts.get(queue.host)
        if parts.blacklist.covers(queue.origin):
            self._refuse(queue, now)
        elif host.is_slow and self._errands.slow_lane_is_full():
            parts.frontier.put_back(queue, now + FULL_LANE)
        elif not host.is_slow and self._errands.are_full(now):
            self._unprepared.append(queue)
        else:
            self._start(self._errands, self._errand(queue), now, host)

    async def _errand(self, queue: BackQueue) -> None:
        parts = self._parts
        try:
            await parts.errands.prepare(queue)
        except BaseException as error:
            if not is_internal(error):
                raise
            parts.boundary.end_preparation(queue, error)
        else:
            parts.boundary.was_prepared(queue)

    def _refuse(self, queue: BackQueue, now: float) -> None:
        """Its host is on the blacklist: not even robots.txt is asked for."""
        url = self._parts.frontier.take(queue, float("inf"))
        if not isinstance(url, QueuedUrl):
            return self._parts.frontier.drop(queue)
        with self._parts.boundary.around(queue, url):
            self._parts.endings.unworthy(url, "blacklisted")
        return self._parts.frontier.put_back(queue, now)

    def _hand_out(self, queue: BackQueue, host: Host, address: str, rules: Rules, now: float) -> None:
        parts = self._parts
        when = parts.turns.come_back_at(host, address, now)
        if when > now:
            return parts.frontier.put_back(queue, when)
        url = parts.frontier.take(queue, now, in_doubt=host.consecutive_failures > 0)
        if url is None:
            return parts.frontier.drop(queue)
        if not isinstance(url, QueuedUrl):
            return parts.frontier.put_back(queue, url)
        try:
            return self._send_off(url, queue, host, address, rules, now)
        except BaseException as error:
            if not is_internal(error):
                raise
            parts.boundary.end_url(queue, url, error)
        return parts.frontier.put_back(queue, now)

    def _send_off(self, url: QueuedUrl, queue: BackQueue, host: Host, address: str, rules: Rules, now: float) -> None:
        parts = self._parts
        refused = "blacklisted" if parts.blacklist.covers(queue.origin) else parts.frontier.worth(url)
        if refused:
            parts.endings.unworthy(url, refused)
            return parts.frontier.put_back(queue, now)
        parts.budgets.asked(host, is_recrawl=url.via == "recrawl")
        parts.turns.begin(host, address, now)
        return self._start(self._journeys, self._travel(url, queue, host, address, rules), now, host)

    async def _travel(self, url: QueuedUrl, queue: BackQueue, host: Host, address: str, rules: Rules) -> None:
        parts = self._parts
        try:
            await parts.journey.take(url, queue, host, address, rules)
            parts.boundary.went_well(queue)
        except BaseException as error:
            if not is_internal(error):
                raise
            parts.boundary.end_url(queue, url, error)
        finally:
            parts.frontier.put_back(queue, host.free_at())

    def _start(self, slots: Slots, work: Coroutine[Any, Any, None], now: float, host: Host) -> None:
        task = asyncio.create_task(work)
        slots.take(task, now, slow=host.is_slow, newcomer=not host.has_answered)
        task.add_done_callback(lambda done: self._ended(slots, done))

    def _ended(self, slots: Slots, task: asyncio.Task[None]) -> None:
        slots.leave(task)
        self._wake.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            self._went_wrong(error)

    def _page_allowed(self) -> bool:
        most = self._parts.settings.limits.max_pages
        return most is None or self._parts.statistics.pages + len(self._journeys) < most

    def _may_hand_out(self) -> bool:
        return self._page_allowed() and self._parts.commit.accepts()

    def _limit(self) -> str:
        limits, statistics = self._parts.settings.limits, self._parts.statistics
        if limits.max_pages is not None and statistics.pages >= limits.max_pages:
            return "max_pages"
        if limits.max_bytes is not None and statistics.wire_bytes >= limits.max_bytes:
            return "max_bytes"
        return ""

    def _over(self) -> str:
        if len(self._journeys) or len(self._errands) or self._unprepared:
            return ""
        if not self._parts.seeds.is_over or self._rereading is not None or self._parts.rereading.listed.is_undecided:
            return ""
        if not self._parts.commit.idle:
            self._parts.commit.hurry()
            return ""
        due = self._parts.frontier.next_time()
        if due is not None and due > self._parts.clock.now():
            self._parts.frontier.drop_finished()
            due = self._parts.frontier.next_time()
        if due is None:
            shelved = self._parts.frontier.shelved.most_common(1)
            return shelved[0][0] if shelved else "done"
        return "waiting" if due > self._parts.clock.now() + NOTHING_DUE_WITHIN and not self._is_paced() else ""

    def _is_paced(self) -> bool:
        """An origin waits for nothing but its host's ordinary delay, however long that is: a crawl that ended here
        would ask for one thing each time it is gone on with, and that might always be robots.txt."""
        parts = self._parts
        for due, origin in parts.frontier.next_origins(MOST_PACED):
            host = parts.hosts.get(host_of(origin))
            paced_until = host.paced_until()
            if due <= paced_until + PACE_SLACK and paced_until < host.last_ended + LONGEST_PACE:
                return True
        return False

    async def _sleep(self) -> None:
        """Until something happens: an answer, a commit, or the next origin's time."""
        if self._wake.is_set():
            return await asyncio.sleep(0)
        now = self._parts.clock.now()
        due = self._parts.frontier.next_time()
        if not self._may_hand_out():
            due = None  # whoever changes that also wakes
        elif self._journeys.are_full(now):
            due = self._journeys.free_at()
        elif self._unprepared and due is None:
            due = self._errands.free_at()
        wait = 0.5 if due is None else min(0.5, max(0.001, due - now))
        handle = asyncio.get_running_loop().call_later(wait, self._wake.set)
        await self._wake.wait()
        return handle.cancel()

    async def _until_kept(self) -> None:
        """Stores are opened again only when the log has all that was under way; a full disk lets it wait."""
        while self._stopping == REOPENED and not self._parts.commit.idle and self._failure is None:
            self._parts.commit.hurry()
            await self._parts.clock.sleep_until(self._parts.clock.now() + 0.1)

    async def _drain(self) -> None:
        """Waits for requests under way, also of a robots.txt: an answer that is not taken would have to be requested
        again by the next run. What does not come in time is called off."""
        began = asyncio.get_running_loop().time()
        self._parts.turns.are_over = True
        while self._journeys or self._errands:
            left = self._drained_by(began) - asyncio.get_running_loop().time()
            if left <= 0:
                break
            if self._errands and self._are_errands_over(began):
                _cancel(self._errands)
            await asyncio.wait([*self._journeys, *self._errands], timeout=min(left, DRAIN_LOOK))
        rest = [*self._journeys, *self._errands]
        if self._rereading is not None:
            rest.append(self._rereading)
        _cancel(rest)
        if rest:
            await asyncio.wait(rest, timeout=DRAIN_CANCELLED)

    def _drained_by(self, began: float) -> float:
        """When to stop waiting, by the clock of the event loop. If the run is interrupted while the disk is full, that
        is at once: there is no room for the answers."""
        if self._interrupted_at is None:
            return began + DRAIN
        return began if self._parts.commit.paused else min(began + DRAIN, self._interrupted_at + DRAIN_INTERRUPTED)

    def _are_errands_over(self, began: float) -> bool:
        """Preparations get little time, and those that only wait for a turn none."""
        is_late = asyncio.get_running_loop().time() >= began + DRAIN_ERRANDS
        return is_late or len(self._errands) <= self._parts.turns.claims


def _cancel(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Once each: cancelled twice, a task would not wait for the engine to confirm that its request is over."""
    for task in tasks:
        if not task.cancelling():
            task.cancel()
