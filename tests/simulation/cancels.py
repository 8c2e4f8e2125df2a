"""Cancels to be survived: journeys, preparations and re-readings are cancelled wherever they wait.

Each await is cancelled at its first, third, ninth … time, so that none is missed, and otherwise at random. Nothing may
be lost: cancelled work is repeated, and no judge may find a violation. Links are admitted in small pieces, like those
of the largest pages.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from inspect import iscoroutine
from random import Random
from typing import Any
from unittest.mock import patch

from hondius.crawler.page import links
from hondius.crawler.rereading import Rereading
from hondius.crawler.run import HandOut, Preparations

SHARE = 0.01
EVERY = 3
PIECE = 2
"""Links per piece."""
CALLED_OFF = ((HandOut, "_run_journey"), (Preparations, "_prepare"), (Rereading, "reread"))

Place = tuple[str, int]
"""The waiting function, and the line of its await."""


class Cancels:
    def __init__(self, seed: int) -> None:
        self._chance = Random(f"cancels {seed}")
        self._met: Counter[Place] = Counter()
        self.places: Counter[Place] = Counter()
        """How often work was cancelled at each place."""

    @property
    def raised(self) -> int:
        return self.places.total()

    def maybe(self, work: Coroutine[Any, Any, Any]) -> None:
        """Called when `work` waits. Cancels each task at most once, as the crawl itself does."""
        task, place = asyncio.current_task(), _place_of(work)
        assert task is not None
        if task.cancelling():
            return
        self._met[place] += 1
        if _is_power(self._met[place]) or self._chance.random() < SHARE:
            self.places[place] += 1
            task.cancel()

    def around(self, begin: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., Coroutine[Any, Any, None]]:
        @wraps(begin)
        async def watched(*arguments: Any, **named: Any) -> None:
            await Watched(begin(*arguments, **named), self.maybe)

        return watched


class Watched:
    """Runs a coroutine, and reports each time that it waits."""

    def __init__(self, work: Coroutine[Any, Any, None], waits: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        self._work = work
        self._waits = waits

    def __await__(self) -> Generator[Any, Any, None]:
        go_on: Callable[[Any], Any] = self._work.send
        value: Any = None
        while True:
            try:
                waits_for = go_on(value)
            except StopIteration:
                return
            self._waits(self._work)
            try:
                value, go_on = (yield waits_for), self._work.send
            except BaseException as error:
                value, go_on = error, self._work.throw


def _place_of(work: Any) -> Place:
    """The innermost waiting function that is not part of asyncio."""
    place: Place = ("", 0)
    while iscoroutine(work) and "asyncio" not in work.cr_code.co_filename:
        frame = work.cr_frame
        place, work = (work.__qualname__, frame.f_lineno if frame is not None else 0), work.cr_await
    return place


def _is_power(number: int) -> bool:
    while number % EVERY == 0:
        number //= EVERY
    return number == 1


@contextmanager
def cancels_anywhere(seed: int) -> Iterator[Cancels]:
    cancels = Cancels(seed)
    with ExitStack() as stack:
        stack.enter_context(patch.object(links, "PIECE", PIECE))
        for owner, name in CALLED_OFF:
            stack.enter_context(patch.object(owner, name, cancels.around(getattr(owner, name))))
        yield cancels
