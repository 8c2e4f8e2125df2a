"""Faults to be survived: exceptions at any step of a journey, of a host's preparation or of a page's re-reading, chosen
by the seed.

A *fault* acts like a bug in one step: the crawl must fail the URL that met it and lose nothing else, and no judge may
find a violation. A *planted bug* (`plants.py`) removes a protection, and a judge must find it.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import wraps
from inspect import iscoroutinefunction
from random import Random
from typing import Any, Protocol
from unittest.mock import patch

from hondius.crawler import journey, page_requests
from hondius.crawler.blacklist import Blacklist
from hondius.crawler.boundary import Boundary
from hondius.crawler.budgets import HostBudgets
from hondius.crawler.commit import Commit
from hondius.crawler.dedup import ExactCopies, NearCopies
from hondius.crawler.fetch import Fetcher
from hondius.crawler.frontier import Frontier
from hondius.crawler.outcomes import Outcomes
from hondius.crawler.page import Links, Readings, Recorder
from hondius.crawler.politeness import AddressTurns, Gate, Host, Names, RobotsCache
from hondius.crawler.reread_links import RereadLinks
from hondius.crawler.robots_record import RobotsRecord
from hondius.crawler.sitemaps import Sitemaps
from hondius.crawler.statistics import Statistics
from hondius.stores.archive.embedded import EmbeddedArchive
from hondius.stores.links.embedded import EmbeddedLinkSegments
from tests.simulation.cancels import cancels_anywhere
from tests.simulation.judges.ends import PLANTED

CHANCE = 0.04
STEPS_AT_ONCE = 3

Step = tuple[Any, str, str]
"""The owner, the name, and when it fails: `before` it does anything, or `after` it has done everything. Steps that
admit links or submit an outcome fail before: no later step could undo them. So does a fetch: without its answer
nobody knows what the server requested."""

JOURNEY: tuple[Step, ...] = (
    (RobotsCache, "judge", "before"),
    (page_requests, "make_conditions", "before"),
    (Fetcher, "fetch", "before"),
    (AddressTurns, "release", "after"),
    (Host, "end_request", "before"),
    (Host, "end_request", "after"),
    (journey, "classify_answer", "after"),
    (Readings, "classify", "after"),
    (ExactCopies, "recognise", "before"),
    (ExactCopies, "recognise", "after"),
    (NearCopies, "recognise", "before"),
    (NearCopies, "recognise", "after"),
    (Links, "admit_links", "before"),
    (Links, "_admit_piece", "before"),
    (Outcomes, "submit_piece", "before"),
    (Links, "admit_redirect", "before"),
    (Outcomes, "finish_page", "before"),
    (Outcomes, "finish_redirect", "before"),
    (Outcomes, "handle_failure", "before"),
    (Outcomes, "finish_unchanged", "before"),
    (Outcomes, "finish_other_type", "before"),
    (Outcomes, "finish_blocked", "before"),
    (Outcomes, "learn_from_answer", "before"),
    (Outcomes, "learn_from_answer", "after"),
    (Outcomes, "save_host", "after"),
    (Outcomes, "list_refusals", "before"),
    (Outcomes, "list_refusals", "after"),
    (Recorder, "record_fetched", "before"),
    (Recorder, "record_fetched", "after"),
    (Recorder, "record_unfetched", "before"),
    (Recorder, "record_refused", "after"),
    (Host, "save", "before"),
    (Frontier, "count_tries", "before"),
    (Frontier, "retry_later", "before"),
    (Frontier, "retry_later", "after"),
    (Frontier, "retry_as", "after"),
    (Frontier, "forget_url", "after"),
    (Statistics, "count_answer", "before"),
    (Statistics, "count_end", "before"),
    (Statistics, "count_retry", "before"),
    (Statistics, "count_retry", "after"),
    (Commit, "submit", "before"),
)
PREPARATION: tuple[Step, ...] = (
    (Names, "resolve", "before"),
    (Names, "resolve", "after"),
    (HostBudgets, "find_crowded_limit", "before"),
    (HostBudgets, "find_crowded_limit", "after"),
    (RobotsCache, "find_fresh", "before"),
    (RobotsCache, "accept", "before"),
    (RobotsCache, "accept", "after"),
    (RobotsCache, "extend", "before"),
    (Host, "follow_rules", "after"),
    (Gate, "_follow_redirects", "before"),
    (Gate, "_follow_redirects", "after"),
    (AddressTurns, "come_back_at", "before"),
    (AddressTurns, "claim", "before"),
    (Host, "set_crawl_delay", "after"),
    (Host, "end_robots_request", "after"),
    (Host, "shrink_back_off", "after"),
    (RobotsRecord, "record", "before"),
    (RobotsRecord, "record", "after"),
    (RobotsRecord, "_save_host", "before"),
    (Sitemaps, "admit", "before"),
    (Links, "admit_sitemaps", "before"),
    (Links, "admit_guessed_sitemap", "before"),
    (Outcomes, "finish_unresolved", "before"),
    (Statistics, "note_waiting", "before"),
    (Statistics, "note_ready", "after"),
)
HAND_OUT: tuple[Step, ...] = (
    (Host, "find_need", "before"),
    (HostBudgets, "find_spent_limit", "after"),
    (HostBudgets, "count_request", "after"),
    (Blacklist, "covers", "before"),
    (Frontier, "find_refusal", "before"),
    (Outcomes, "finish_refused", "before"),
)
"""Steps of the loop itself that concern one URL or one host."""
REREADING: tuple[Step, ...] = (
    (RereadLinks, "admit_closer", "before"),
    (Links, "admit_closer_links", "before"),
    (Links, "admit_closer_target", "before"),
    (Links, "admit_refetch", "before"),
    (Links, "readmit_links", "before"),
    (Links, "readmit_target", "before"),
    (Links, "readmit_pages", "before"),
    (RereadLinks, "admit_inside", "before"),
    (Outcomes, "list_refusals_at", "before"),
    (Commit, "submit", "before"),
)
COMMIT: tuple[Step, ...] = ((EmbeddedArchive, "_make_row", "before"), (EmbeddedLinkSegments, "append", "before"))
"""Steps on the thread of the commit. A batch that meets a fault is halved until one outcome is left."""
LAST_LINE: tuple[tuple[Any, str], ...] = (
    (Boundary, "end_url"),
    (Boundary, "end_preparation"),
    (Outcomes, "handle_lost_answer"),
    (ExactCopies, "forget"),
    (NearCopies, "forget"),
    (Links, "withdraw"),
)
TASKS = ("HandOut._run_journey", "Preparations._prepare", "Rereading.reread")


class Planted(Exception):
    pass


class Fault:
    """Raises sometimes, but never while a failure is being handled: nothing would handle that."""

    def __init__(self, chance: Random, share: float) -> None:
        self._chance = chance
        self._share = share
        self._handling = 0
        self.raised = 0

    def maybe(self, step: Step, everywhere: bool) -> None:
        if self._handling or not (everywhere or _is_under_way()) or self._chance.random() >= self._share:
            return
        self.raised += 1
        raise Planted(f"{PLANTED} {step[2]} {step[0].__name__}.{step[1]}")

    def last_line(self, handler: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(handler)
        def handled(*arguments: Any, **named: Any) -> Any:
            self._handling += 1
            try:
                return handler(*arguments, **named)
            finally:
                self._handling -= 1

        return handled

    def failing(self, step: Step) -> Callable[..., Any]:
        owner, name, where = step
        whole = getattr(owner, name)
        everywhere = step in HAND_OUT + COMMIT

        @wraps(whole)
        async def awaited(*arguments: Any, **named: Any) -> Any:
            if where == "before":
                self.maybe(step, everywhere)
            result = await whole(*arguments, **named)
            if where == "after":
                self.maybe(step, everywhere)
            return result

        @wraps(whole)
        def called(*arguments: Any, **named: Any) -> Any:
            if where == "before":
                self.maybe(step, everywhere)
            result = whole(*arguments, **named)
            if where == "after":
                self.maybe(step, everywhere)
            return result

        return awaited if iscoroutinefunction(whole) else called


def _is_under_way() -> bool:
    """Whether the call is within a journey, a preparation or a re-reading. Calls by the loop itself are not tested
    here."""
    task = asyncio.current_task()
    return task is not None and getattr(task.get_coro(), "__qualname__", "") in TASKS


@contextmanager
def exceptions_at(steps: tuple[Step, ...], seed: int, share: float = CHANCE) -> Iterator[Fault]:
    """Raises at some of the steps, in `share` of their calls."""
    chance = Random(f"faults {seed}")
    fault = Fault(chance, share)
    with ExitStack() as stack:
        for owner, name in LAST_LINE:
            stack.enter_context(patch.object(owner, name, fault.last_line(getattr(owner, name))))
        for step in chance.sample(steps, min(STEPS_AT_ONCE, len(steps))):
            stack.enter_context(patch.object(step[0], step[1], fault.failing(step)))
        yield fault


class Raised(Protocol):
    @property
    def raised(self) -> int:
        """How often the fault was raised."""


def _exceptions(steps: tuple[Step, ...]) -> Callable[[int], AbstractContextManager[Raised]]:
    return lambda seed: exceptions_at(steps, seed)


FAULTS: dict[str, Callable[[int], AbstractContextManager[Raised]]] = {
    "exception_in_a_journey": _exceptions(JOURNEY),
    "exception_in_a_preparation": _exceptions(PREPARATION),
    "exception_at_the_hand_out": _exceptions(HAND_OUT),
    "exception_in_a_rereading": _exceptions(REREADING),
    "exception_in_a_commit": _exceptions(COMMIT),
    "exception_anywhere": _exceptions(JOURNEY + PREPARATION + HAND_OUT + REREADING + COMMIT),
    "cancel_anywhere": cancels_anywhere,
}
"""Each takes a seed, which chooses the steps, or where work is cancelled."""
