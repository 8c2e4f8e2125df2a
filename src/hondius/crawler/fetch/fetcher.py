"""The asyncio side of the engine."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar, cast

from hondius.crawler.fetch.tickets import Ticket, Tickets
from hondius.errors import CalledOff
from hondius.native import Fetched, Resolved

_log = logging.getLogger("hondius.crawler.fetch")

Submission = tuple[int, bytes, str, str, str, Sequence[tuple[str, bytes]]]
NameAsked = tuple[int, str]
Asked = TypeVar("Asked", Submission, NameAsked)

LEASE_MARGIN = 30.0
"""Seconds that a lease lasts beyond the engine's own deadline: for analysing the answer, and for queues."""
NAME_LEASE = 300.0
"""Seconds. The engine gives up a look-up after 20 s. The rest is for its queues."""
ROBOTS_PATIENCE = 5.0
"""Seconds that a robots.txt request may take while other hosts wait to be prepared. Most take less than one."""
NAME_PATIENCE = 2.0
"""The same for a look-up. The engine continues it and keeps its result, so the next look-up has it at once."""
LEASE_ENDED, CANCELLED = "lease_ended", "cancelled"


class AnyEngine(Protocol):
    def submit(self, requests: Sequence[Submission], within: float | None = None) -> None: ...
    def resolve(self, requests: Sequence[NameAsked]) -> None: ...
    def cancel(self, requests: Sequence[Submission], cause: str) -> None: ...
    def cancel_look_ups(self, requests: Sequence[NameAsked]) -> None: ...
    def collect(self) -> list[Fetched | Resolved]: ...
    def close(self) -> None: ...


class Fetcher:
    """Requests made within one turn of the event loop go to the engine as one batch.

    Every ticket comes back, and a request is over only when the engine says so (F4). A request whose lease has ended,
    or whose task is cancelled, is called off; its caller continues when the engine has confirmed that nothing of it is
    left."""

    def __init__(self, make_engine: Callable[[Callable[[], object]], AnyEngine], total_timeout: float) -> None:
        """`total_timeout` is the engine's own deadline for a request."""
        self._loop = asyncio.get_running_loop()
        self._engine = make_engine(self._notify)
        self._fetches: Tickets[Submission] = Tickets(total_timeout + LEASE_MARGIN)
        self._look_ups: Tickets[NameAsked] = Tickets(NAME_LEASE)
        self._requests: list[Submission] = []
        self._limited: list[tuple[Submission, float]] = []
        """Requests that have used a part of their total time-out at another address."""
        self._names: list[NameAsked] = []
        self._next_ticket = 1
        self._flush_planned = False
        self._closed = False

    async def fetch(
        self,
        key: bytes,
        href: str,
        address: str,
        kind: str = "page",
        headers: Sequence[tuple[str, bytes]] = (),
        within: float | None = None,
    ) -> Fetched:
        """`within`: the seconds that are left of the total time-out; None: all of it. If the task is cancelled, the
        request is over when this raises. CalledOff holds the answer, if one came."""
        number = self._make_number()
        submission = (number, key, href, address, kind, headers)
        ticket = Ticket(submission, self._loop.time(), self._loop.create_future())
        self._fetches.add(number, ticket)
        if within is None:
            self._requests.append(submission)
        else:
            self._limited.append((submission, within))
        self._plan_flush()
        try:
            fetched = cast("Fetched", await ticket.future)
        except asyncio.CancelledError:
            if (answer := await self._wait_for_cancel(number, ticket)) is not None:
                raise CalledOff(answer) from None
            raise
        if _log.isEnabledFor(logging.DEBUG):
            took, outcome = fetched.ended_at - fetched.started_at, fetched.failure or fetched.status
            _log.debug("%s %s at %s: %s, %d bytes, %.3f s", kind, href, address, outcome, fetched.wire_bytes, took)
        return fetched

    def fetch_at(
        self, key: bytes, href: str, kind: str, headers: Sequence[tuple[str, bytes]], address: str, within: float
    ) -> Coroutine[Any, Any, Fetched]:
        """The same request at another address."""
        return self.fetch(key, href, address, kind, headers, within)

    async def resolve(self, host: str) -> Resolved:
        number = self._make_number()
        ticket = Ticket((number, host), self._loop.time(), self._loop.create_future())
        self._look_ups.add(number, ticket)
        self._names.append(ticket.asked)
        self._plan_flush()
        try:
            return cast("Resolved", await ticket.future)
        finally:
            self._look_ups.forget(number)

    def call_off_overdue(self) -> None:
        """Requests and look-ups whose lease has ended come back as failed. Call this about once a second."""
        now = self._loop.time()
        if late := self._fetches.call_off_overdue(now):
            self._engine.cancel([_drop_headers(submission) for submission in late], LEASE_ENDED)
        if names := self._look_ups.call_off_overdue(now):
            self._engine.cancel_look_ups(names)

    def call_off_slow_robots(self, most: int) -> None:
        """Calls off the `most` oldest requests for a robots.txt, because other hosts wait to be prepared and there is
        no slot for them. Otherwise thousands of servers that send a byte a second would keep everybody waiting."""

        def is_robots(submission: Submission) -> bool:
            return submission[4] == "robots"

        if slow := self._fetches.call_off(self._loop.time() - ROBOTS_PATIENCE, is_robots, most):
            self._engine.cancel([_drop_headers(submission) for submission in slow], LEASE_ENDED)

    def call_off_slow_names(self, most: int) -> None:
        """The same for the oldest look-ups: otherwise thousands of names that nobody answers would do so."""
        if slow := self._look_ups.call_off(self._loop.time() - NAME_PATIENCE, most=most):
            self._engine.cancel_look_ups(slow)

    async def close(self) -> None:
        """Cancels the callers that still wait, and ends the threads."""
        if self._closed:
            return
        self._closed = True
        for ticket in (*self._fetches, *self._look_ups):
            ticket.future.cancel()
        await asyncio.to_thread(self._engine.close)

    async def _wait_for_cancel(self, number: int, ticket: Ticket[Submission]) -> Fetched | None:
        """Returns when nothing of the request is under way: its answer, if one came nevertheless."""
        came = ticket.future
        if came.done() and not came.cancelled():
            return None if came.exception() is not None else cast("Fetched", came.result())
        if self._fetches.get(number) is None or self._closed:
            return None
        if self._withdraw(ticket.asked):
            self._fetches.forget(number)
            return None
        ticket.future = self._loop.create_future()
        ticket.is_called_off = True
        self._engine.cancel([_drop_headers(ticket.asked)], CANCELLED)
        fetched = cast("Fetched", await ticket.future)
        return None if fetched.failure == CANCELLED else fetched

    def _withdraw(self, submission: Submission) -> bool:
        """Removes a request that the engine does not have yet. Returns False if the engine has it."""
        waiting = len(self._requests) + len(self._limited)
        self._requests = [request for request in self._requests if request is not submission]
        self._limited = [limited for limited in self._limited if limited[0] is not submission]
        return len(self._requests) + len(self._limited) < waiting

    def _make_number(self) -> int:
        number = self._next_ticket
        self._next_ticket += 1
        return number

    def _plan_flush(self) -> None:
        if not self._flush_planned:
            self._flush_planned = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flush_planned = False
        if self._closed:
            return
        requests, self._requests = self._requests, []
        names, self._names = self._names, []
        if names:
            _hand_over(self._engine.resolve, names, self._look_ups)
        if requests:
            _hand_over(self._engine.submit, requests, self._fetches)
        limited, self._limited = self._limited, []
        for request, within in limited:
            _hand_over(partial(self._engine.submit, within=within), [request], self._fetches)

    def _notify(self) -> None:
        """Called on a thread of the engine."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._collect)

    def _collect(self) -> None:
        for item in self._engine.collect():
            tickets = self._fetches if isinstance(item, Fetched) else self._look_ups
            tickets.complete(item.ticket, item)


def _hand_over(send: Callable[[Sequence[Asked]], None], batch: Sequence[Asked], tickets: Tickets[Asked]) -> None:
    """The engine refuses a batch as a whole, before it sends anything. Then the requests are sent one by one, and only
    those that are refused again fail."""
    try:
        send(batch)
    except Exception as error:
        if len(batch) > 1:
            for request in batch:
                _hand_over(send, [request], tickets)
        else:
            tickets.reject(batch[0][0], error)


def _drop_headers(submission: Submission) -> Submission:
    """The request as it is called off: its headers do not matter any more, even if they cannot be sent."""
    return (*submission[:5], ())
