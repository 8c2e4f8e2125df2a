"""Fetch slots, and the slow lane in addition to them (P4): a host that does not answer delays nobody else."""

import asyncio
from collections.abc import Iterator

SLOW_AFTER = 1.0
"""Seconds after which a request moves to the slow lane and frees its slot."""
ENOUGH_IN_FLIGHT, ENOUGH_PREPARED = 1_000, 2_000
MORE = 4
"""With a smaller `fetch.concurrency`, this many times as much may be under way in all."""
SLOW_SHARE_IN_FLIGHT, SLOW_SHARE_PREPARED = 0.75, 0.5

Task = asyncio.Task[None]


def compute_most_in_flight(concurrency: int) -> int:
    """Most requests for pages that are under way at once, including the slow lane (F8)."""
    return max(concurrency, min(ENOUGH_IN_FLIGHT, MORE * concurrency))


def compute_most_prepared(concurrency: int) -> int:
    """Most hosts that are prepared at once. They mostly wait for names and robots.txt."""
    return max(concurrency, min(ENOUGH_PREPARED, MORE * concurrency))


class Slots:
    """`most` tasks at once. At most `usual` of them are of hosts that answer in time. At most `slow` of them are slow:
    under way for longer than `SLOW_AFTER`, or of a host that was slow or failed the last time. So slow hosts, however
    many, leave slots to others. The same number limits newcomers, which are hosts without a good answer so far: they
    may be slow, and a stranger can link to thousands of them. Tasks are kept in the order of their start, so the oldest
    is the first to become slow, and no timer is needed."""

    def __init__(self, usual: int, slow: int, most: int | None = None) -> None:
        self._most_usual = usual
        self._most_slow = slow
        self._most = usual + slow if most is None else most
        self._usual: dict[Task, float] = {}
        self._slow: dict[Task, float] = {}
        self._newcomers: set[Task] = set()

    @classmethod
    def for_journeys(cls, concurrency: int) -> "Slots":
        most = compute_most_in_flight(concurrency)
        return cls(concurrency, int(SLOW_SHARE_IN_FLIGHT * most), most)

    @classmethod
    def for_preparations(cls, concurrency: int) -> "Slots":
        most = compute_most_prepared(concurrency)
        return cls(most, int(SLOW_SHARE_PREPARED * most), most)

    def __len__(self) -> int:
        return len(self._usual) + len(self._slow)

    def __iter__(self) -> Iterator[Task]:
        yield from self._usual
        yield from self._slow

    def occupy(self, task: Task, now: float, *, slow: bool = False, newcomer: bool = False) -> None:
        """`slow`: it is known beforehand that this may take long."""
        lane = self._slow if slow and self._most_slow else self._usual
        lane[task] = now
        if newcomer:
            self._newcomers.add(task)

    def release(self, task: Task) -> None:
        self._newcomers.discard(task)
        if self._usual.pop(task, None) is None:
            self._slow.pop(task, None)

    def are_full(self, now: float) -> bool:
        """Whether no usual request can start."""
        usual = len(self._usual)
        if usual < self._most_usual and usual + len(self._slow) < self._most:
            return False
        self._move_slow(now)
        return len(self) >= self._most or len(self._usual) >= self._most_usual

    def slow_lane_is_full(self) -> bool:
        return 0 < self._most_slow <= len(self._slow)

    def newcomers_are_full(self) -> bool:
        return 0 < self._most_slow <= len(self._newcomers)

    def free_at(self) -> float:
        """When the oldest request moves to the slow lane and makes room, if none ends before."""
        if not self._usual or len(self._slow) >= self._most_slow or len(self) >= self._most:
            return float("inf")
        return next(iter(self._usual.values())) + SLOW_AFTER

    def _move_slow(self, now: float) -> None:
        while self._usual and len(self._slow) < self._most_slow:
            task, started_at = next(iter(self._usual.items()))
            if started_at + SLOW_AFTER > now:
                return
            self._slow[task] = self._usual.pop(task)
