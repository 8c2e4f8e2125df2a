"""The loop of a run: obeys orders, hands out URLs, and sleeps until something happens or the run is over."""

import asyncio

from hondius.clock import Clock
from hondius.crawler.recrawl import Plan
from hondius.crawler.run.background import Background
from hondius.crawler.run.completion import Completion
from hondius.crawler.run.dispatch import Dispatch
from hondius.crawler.run.drain import Drain
from hondius.crawler.run.orders import OrderHandler
from hondius.crawler.run.record import RunRecord
from hondius.crawler.run.state import INTERRUPTED, RunState
from hondius.crawler.seed_loading import SeedLoading
from hondius.errors import BrokenView
from hondius.model import REOPENED
from hondius.native import NativeError

LOOK_AROUND = 1.0
"""Seconds between two checks for orders and overdue requests."""
SHORTEST_SLEEP, LONGEST_SLEEP = 0.001, 0.5


class Run:
    def __init__(
        self,
        *,
        state: RunState,
        record: RunRecord,
        orders: OrderHandler,
        dispatch: Dispatch,
        background: Background,
        completion: Completion,
        drain: Drain,
        clock: Clock,
    ) -> None:
        self.record = record
        self._state = state
        self._orders = orders
        self._dispatch = dispatch
        self._background = background
        self._completion = completion
        self._drain = drain
        self._clock = clock
        self._reason = INTERRUPTED
        self._look_again = 0.0

    @property
    def seeds(self) -> SeedLoading:
        return self.record.seeds

    @property
    def plan(self) -> Plan | None:
        """The plan for recrawls in force; None without a budget, or before the first plan."""
        return self._background.plan

    @property
    def in_flight(self) -> int:
        return self._dispatch.in_flight

    @property
    def preparing(self) -> int:
        """Origins whose name or robots.txt is being requested, or waits for that."""
        return self._dispatch.preparing

    @property
    def under_way(self) -> int:
        """What an interrupted run waits for."""
        return self._drain.under_way

    def stop(self, reason: str) -> None:
        """Hands out no new URL. What is under way may end by itself, within a shorter time if the run is
        interrupted."""
        self._state.stop(reason)

    def wake(self) -> None:
        """Something happened that the run may wait for: a program has taken a page."""
        self._state.wake()

    def note_commit_end(self, task: asyncio.Task[None]) -> None:
        self._state.note_commit_end(task)

    def end(self) -> None:
        """Records why the run ended."""
        self.record.end(self._reason)

    async def run_until_over(self) -> str:
        """Returns why the run ended, or raises why it failed. What was under way has ended or was given back."""
        while True:
            self._state.begin_round()
            reason = self._run_round()
            if self._state.failure is not None:
                await self._drain.call_off()
                raise self._state.failure
            if reason:
                await self._drain.drain()
                await self._drain.wait_until_kept()
                self._reason = self._state.stopping if reason == REOPENED else reason
                return self._reason
            await self._sleep()

    def _run_round(self) -> str:
        """Does what is due. Returns why the run is over, or an empty text."""
        try:
            self._check_orders_and_leases()
            self._dispatch.fill_slots()
            self._background.start_due()
            return self._state.stopping or self._completion.find_reason()
        except (BrokenView, NativeError) as error:
            self._state.fail(error)
            return self._state.stopping

    def _check_orders_and_leases(self) -> None:
        """Obeys orders from other processes, and calls off overdue requests."""
        now = self._clock.now()
        if now >= self._look_again:
            has_more = self._orders.obey_some(now)
            self._look_again = now if has_more else now + LOOK_AROUND
            self._dispatch.call_off_overdue()

    async def _sleep(self) -> None:
        """Until something happens: an answer, a commit, or an origin that is due."""
        if self._state.is_woken:
            return await asyncio.sleep(0)
        now = self._clock.now()
        due = self._dispatch.find_next_time(now)
        seconds = LONGEST_SLEEP if due is None else min(LONGEST_SLEEP, max(SHORTEST_SLEEP, due - now))
        return await self._state.sleep(seconds)
