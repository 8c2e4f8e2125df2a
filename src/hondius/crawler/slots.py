"""Fetch slots, and the slow lane beside them (P4): a host that does not answer keeps nobody waiting."""

import asyncio
from collections.abc import Iterator

SLOW_AFTER = 1.0
"""Seconds after which a request gives its slot to another and goes on in the slow lane."""

Task = asyncio.Task[None]


class Slots:
    """`usual` tasks at once, and `slow` ones beside them: those that have been under way for longer than `SLOW_AFTER`,
    and those of hosts that were slow or failed the last time. Neither takes the other's places, as long as the slow
    lane has one left. Tasks are kept in the order of their start, so the eldest is the first that can have become
    slow: no timer is needed."""

    def __init__(self, usual: int, slow: int) -> None:
        self._most_usual = usual
        self._most_slow = slow
        self._usual: dict[Task, float] = {}
        self._slow: dict[Task, float] = {}

    def __len__(self) -> int:
        return len(self._usual) + len(self._slow)

    def __iter__(self) -> Iterator[Task]:
        yield from self._usual
        yield from self._slow

    def take(self, task: Task, now: float, *, slow: bool = False) -> None:
        """`slow`: it is known beforehand that this may take long."""
        lane = self._slow if slow and self._most_slow else self._usual
        lane[task] = now

    def leave(self, task: Task) -> None:
        if self._usual.pop(task, None) is None:
            self._slow.pop(task, None)

    def are_full(self, now: float) -> bool:
        """No usual request can start."""
        if len(self._usual) < self._most_usual:
            return False
        self._move_slow_ones(now)
        return len(self._usual) >= self._most_usual

    def slow_lane_is_full(self) -> bool:
        return 0 < self._most_slow <= len(self._slow)

    def free_at(self) -> float:
        """When the eldest request leaves for the slow lane, if it does not end before."""
        if not self._usual or len(self._slow) >= self._most_slow:
            return float("inf")
        return next(iter(self._usual.values())) + SLOW_AFTER

    def _move_slow_ones(self, now: float) -> None:
        while self._usual and len(self._slow) < self._most_slow:
            task, started_at = next(iter(self._usual.items()))
            if started_at + SLOW_AFTER > now:
                return
            self._slow[task] = self._usual.pop(task)
