"""How a stage reads from disk without blocking the event loop."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

Result = TypeVar("Result")


class Ask(Protocol):
    """Runs a blocking function on a thread that may wait, and returns its result."""

    def __call__(self, question: Callable[[], Result], /) -> Awaitable[Result]: ...


async def ask_inline(question: Callable[[], Result], /) -> Result:
    """Calls the function directly. For callers without an event loop, or with everything in memory."""
    return question()
