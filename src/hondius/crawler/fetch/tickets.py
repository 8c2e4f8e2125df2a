"""What was handed to the engine and has not come back."""

from asyncio import Future
from collections.abc import Callable, Iterator
from itertools import islice, takewhile
from typing import Any, Generic, TypeVar

Asked = TypeVar("Asked")


class Ticket(Generic[Asked]):
    __slots__ = ("asked", "at", "future", "is_called_off")

    def __init__(self, asked: Asked, at: float, future: Future[Any]) -> None:
        self.asked = asked
        """What the engine was given, to be called off by."""
        self.at = at
        self.future = future
        self.is_called_off = False


class Tickets(Generic[Asked]):
    """By number, in the order in which they were given out; all have the same time, so the eldest are the first whose
    lease ends. One look a second at those costs less than a timer for each, which would be set and cancelled for every
    page."""

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
        """An answer that nobody waits for any more is nobody's."""
        ticket = self._waiting.pop(number, None)
        if ticket is not None and not ticket.future.done():
            ticket.future.set_result(answer)

    def reject(self, number: int, error: Exception) -> None:
        """The engine did not take it."""
        ticket = self._waiting.pop(number, None)
        if ticket is not None and not ticket.future.done():
            ticket.future.set_exception(error)

    def forget(self, number: int) -> None:
        self._waiting.pop(number, None)

    def call_off_overdue(self, now: float) -> list[Asked]:
        """Those whose lease has ended and that nobody has called off; the caller does."""
        return self.call_off(now - self._lease)

    def call_off(
        self, before: float, is_meant: Callable[[Asked], bool] | None = None, most: int | None = None
    ) -> list[Asked]:
        """Marks the eldest that were added before that time, `most` of them, and returns them; the caller calls them
        off."""
        old = takewhile(lambda ticket: ticket.at < before, self._waiting.values())
        meant = (one for one in old if not one.is_called_off and (is_meant is None or is_meant(one.asked)))
        found = list(islice(meant, most))
        for ticket in found:
            ticket.is_called_off = True
        return [ticket.asked for ticket in found]
