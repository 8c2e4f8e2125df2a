"""Requests that the engine has and has not answered yet."""

from asyncio import Future
from collections.abc import Callable, Iterator
from itertools import islice, takewhile
from typing import Any, Generic, TypeVar

Asked = TypeVar("Asked")


class Ticket(Generic[Asked]):
    __slots__ = ("asked", "at", "future", "is_called_off")

    def __init__(self, asked: Asked, at: float, future: Future[Any]) -> None:
        self.asked = asked
        """The request as the engine got it; it is called off by this."""
        self.at = at
        self.future = future
        self.is_called_off = False


class Tickets(Generic[Asked]):
    """Tickets by number, in the order of their creation. All leases are equally long, so the oldest tickets expire
    first. Checking those once a second is cheaper than a timer for each ticket, which would be set and cancelled for
    every page."""

    def __init__(self, lease: float) -> None:
        self._lease = lease
        self._waiting: dict[int, Ticket[Asked]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[Ticket[Asked]]:
        return iter(self._waiting.values())

    def add(self, number: int, ticket: Ticket[Asked]) -> None:
        self._waiting[number] = ticket

    def get(self, number: int) -> Ticket[Asked] | None:
        return self._waiting.get(number)

    def complete(self, number: int, answer: Any) -> None:
        """An answer that nobody waits for any more is dropped."""
        ticket = self._waiting.pop(number, None)
        if ticket is not None and not ticket.future.done():
            ticket.future.set_result(answer)

    def reject(self, number: int, error: Exception) -> None:
        """The engine refused it."""
        ticket = self._waiting.pop(number, None)
        if ticket is not None and not ticket.future.done():
            ticket.future.set_exception(error)

    def forget(self, number: int) -> None:
        self._waiting.pop(number, None)

    def call_off_overdue(self, now: float) -> list[Asked]:
        """Marks and returns those whose lease has ended and that are not called off yet. The caller tells the
        engine."""
        return self.call_off(now - self._lease)

    def call_off(
        self, before: float, is_meant: Callable[[Asked], bool] | None = None, most: int | None = None
    ) -> list[Asked]:
        """Marks and returns the oldest tickets that were added before that time, at most `most`. The caller tells the
        engine."""
        old = takewhile(lambda ticket: ticket.at < before, self._waiting.values())
        meant = (one for one in old if not one.is_called_off and (is_meant is None or is_meant(one.asked)))
        found = list(islice(meant, most))
        for ticket in found:
            ticket.is_called_off = True
        return [ticket.asked for ticket in found]
