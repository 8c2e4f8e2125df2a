"""Hands out one URL of an origin whose host is ready, and keeps its journey within the boundary."""

from asyncio import CancelledError

from hondius.crawler.boundary import Boundary
from hondius.crawler.budgets import HostBudgets
from hondius.crawler.frontier import BackQueue, Frontier, Unread
from hondius.crawler.journey import Journey
from hondius.crawler.page import PreviousVisit
from hondius.crawler.politeness import AddressTurns, Host, Rules
from hondius.crawler.run.origin_reads import OriginReads
from hondius.crawler.run.refusal_check import RefusalCheck
from hondius.crawler.run.tasks import Tasks
from hondius.errors import is_internal
from hondius.native import QueuedUrl

RECRAWL = "recrawl"


class HandOut:
    def __init__(
        self,
        *,
        tasks: Tasks,
        journey: Journey,
        frontier: Frontier,
        turns: AddressTurns,
        budgets: HostBudgets,
        origins: OriginReads,
        refusal_check: RefusalCheck,
        boundary: Boundary,
    ) -> None:
        self.slots = tasks.slots
        self._tasks = tasks
        self._journey = journey
        self._frontier = frontier
        self._turns = turns
        self._budgets = budgets
        self._origins = origins
        self._refusal_check = refusal_check
        self._boundary = boundary

    def hand_out(self, queue: BackQueue, host: Host, address: str, rules: Rules, now: float) -> None:
        """Puts the queue back into the frontier if none of its URLs can be sent now."""
        when = self._turns.come_back_at(host, address, now)
        if when > now:
            return self._frontier.put_back(queue, when)
        try:
            url = self._frontier.pop_url(queue, now, in_doubt=host.consecutive_failures > 0)
        except Unread:
            return self._origins.read(queue)
        if url is None:
            return self._frontier.drop(queue)
        if not isinstance(url, QueuedUrl):
            return self._frontier.put_back(queue, url)
        try:
            return self._start_journey(url, queue, host, address, rules, now)
        except BaseException as error:
            if not is_internal(error):
                raise
            self._boundary.end_url(queue, url, error)
        return self._frontier.put_back(queue, now)

    def call_off_overdue(self) -> None:
        """Calls off requests whose lease has ended."""
        self._journey.requests.call_off_overdue()

    def call_off_slow_preparations(self, most: int) -> None:
        self._journey.requests.call_off_slow_preparations(most)

    def _start_journey(
        self, url: QueuedUrl, queue: BackQueue, host: Host, address: str, rules: Rules, now: float
    ) -> None:
        is_recrawl, visits = url.via == RECRAWL, self._origins.visits
        if is_recrawl and visits.must_read(url):
            self._frontier.hold_back(queue, url)
            return self._origins.read(queue)
        if self._refusal_check.end_if_refused(url, queue):
            return self._frontier.put_back(queue, now)
        previous = visits.pop(url) if is_recrawl else None
        self._budgets.count_request(host, is_recrawl=is_recrawl)
        self._turns.begin(host, address, now)
        return self._tasks.start(self._run_journey(url, queue, host, address, rules, previous), now, host)

    async def _run_journey(
        self, url: QueuedUrl, queue: BackQueue, host: Host, address: str, rules: Rules, previous: PreviousVisit | None
    ) -> None:
        returns = self._journey.outcomes.returns
        returns.begin(url.key, previous)
        try:
            await self._journey.process(url, queue, host, address, rules, previous)
            self._boundary.note_success(queue)
        except CancelledError:
            # Nothing is awaited after an outcome is submitted, so it has none: it is the next URL of its origin again.
            self._frontier.hold_back(queue, url)
            raise
        except BaseException as error:
            if not is_internal(error):
                raise
            self._boundary.end_url(queue, url, error)
        finally:
            returns.end(url.key)
            self._frontier.put_back(queue, host.free_at())
