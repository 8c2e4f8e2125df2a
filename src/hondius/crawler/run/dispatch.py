"""Fills the free slots of a run: with waiting preparations, and with URLs of origins that are due."""

from collections.abc import Callable

from hondius.clock import Clock
from hondius.crawler.boundary import Boundary
from hondius.crawler.frontier import LOOK_AGAIN, BackQueue, Frontier
from hondius.crawler.run.hand_out import HandOut
from hondius.crawler.run.limits import MAX_PAGES, RunLimits
from hondius.crawler.run.preparations import Preparations
from hondius.crawler.run.scheduler import Scheduler
from hondius.crawler.run.state import RunState
from hondius.errors import is_internal

MOST_SERVED = 250
"""Origins that are served before signals, limits and answers are handled."""


class Dispatch:
    def __init__(
        self,
        *,
        state: RunState,
        limits: RunLimits,
        frontier: Frontier,
        scheduler: Scheduler,
        preparations: Preparations,
        hand_out: HandOut,
        boundary: Boundary,
        clock: Clock,
    ) -> None:
        self._state = state
        self._limits = limits
        self._frontier = frontier
        self._scheduler = scheduler
        self._preparations = preparations
        self._hand_out = hand_out
        self._boundary = boundary
        self._clock = clock

    @property
    def in_flight(self) -> int:
        """Requests for pages that are under way."""
        return len(self._hand_out.slots)

    @property
    def preparing(self) -> int:
        return len(self._preparations)

    def fill_slots(self) -> None:
        """Hands out as much as there is room for."""
        if self._state.stopping or self._limits.find_reached():
            return
        now = self._clock.now()
        self._frontier.takes_only_requisites = self._limits.takes_only_requisites
        self._begin_waiting_preparations(now)
        for _ in range(MOST_SERVED):
            if self._hand_out.slots.are_full(now) or not self._limits.allows_page(self._hand_out.slots):
                return
            queue = self._frontier.pop_queue(now, len(self._preparations.waiting))
            if queue is None:
                return
            if self._frontier.takes_only_requisites and not self._frontier.has_requisite(queue):
                self._pass_over(queue, now)
            else:
                self._within_boundary(self._scheduler.serve, queue, now)
        self._state.wake()

    def _pass_over(self, queue: BackQueue, now: float) -> None:
        """Before its host is asked for anything. What is under way may still need something of this origin."""
        if self._hand_out.slots or self._preparations or not self._limits.is_commit_idle:
            self._frontier.put_back(queue, now + LOOK_AGAIN)
        else:
            self._frontier.shelve(queue, MAX_PAGES)

    def call_off_overdue(self) -> None:
        """Also calls off slow look-ups and robots.txt requests while other hosts wait to be prepared (P4)."""
        self._hand_out.call_off_overdue()
        if self._preparations.waiting and self._preparations.slots.are_full(self._clock.now()):
            self._hand_out.call_off_slow_preparations(len(self._preparations.waiting))

    def find_next_time(self, now: float) -> float | None:
        """When something can be handed out, if nothing happens before. None: only an event can change that, and it
        wakes the run."""
        if not self._limits.allows_page(self._hand_out.slots):
            return None
        if self._hand_out.slots.are_full(now):
            return self._hand_out.slots.free_at()
        due = self._frontier.find_next_time()
        return self._preparations.slots.free_at() if due is None and self._preparations.waiting else due

    def _begin_waiting_preparations(self, now: float) -> None:
        for _ in range(MOST_SERVED):
            if not self._preparations.may_begin_waiting(now) or not self._limits.allows_preparation():
                return
            self._within_boundary(self._preparations.begin, self._preparations.waiting.popleft(), now)

    def _within_boundary(self, step: Callable[[BackQueue, float], None], queue: BackQueue, now: float) -> None:
        try:
            step(queue, now)
        except BaseException as error:
            if not is_internal(error):
                raise
            self._boundary.end_preparation(queue, error)
