"""How a stage asks for what is on disk without blocking the event loop."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

Answer = TypeVar("Answer")


class Ask(Protocol):
    """Runs a question that blocks on a thread that may wait, and returns its answer."""

    def __call__(self, question: Callable[[], Answer], /) -> Awaitable[Answer]: ...


async def ask_inline(question: Callable[[], Answer], /) -> Answer:
    """For who has no event loop to keep free, or everything in memory."""
    return question()
