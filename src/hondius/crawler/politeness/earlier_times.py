"""Converts times that an earlier run wrote to the clock of this run.

The wall clock may be set between two runs. If it was set back, the times of an earlier run are in the future, and a
wait of one second would last for days. Every wait is stored together with the time at which it was written. Some time
has certainly passed since, so the rest of a wait is never longer than the whole wait, counted from the start of any
later run. It is counted from the first later run that, by the clock, started no later than this one. Counted from the
start of every run, a wait would never end for a crawl that is restarted again and again. Once the clock is right again,
the stored times are no longer in the future and hold as they are.

If the clock was set forward, waits end early: nothing tells how much time really passed. Every known host still waits
for its delay after a start (`Hosts`).
"""

from bisect import bisect_right
from typing import Protocol

import msgspec

from hondius.clock import Clock
from hondius.model import FOREVER, Failed, HostOrder, HostState, RobotsCopy
from hondius.position import Position

Row = HostState | RobotsCopy | Failed | HostOrder

THIS_RUN = 1 << 63
"""Greater than the number of any frame. The number of this run's start is not known yet."""


class RunHistory(Protocol):
    """What is needed of the partition's view: which run wrote a row, and when each run started."""

    @property
    def position(self) -> Position: ...
    def runs(self) -> list[tuple[int, float]]: ...
    def frame_of(self, row: Row) -> int: ...


class EarlierTimes:
    def __init__(self, clock: Clock, catalog: RunHistory) -> None:
        self._catalog = catalog
        self._started = clock.now()
        self._last_frame = catalog.position.frames
        known = [run for run in catalog.runs() if run[1] <= self._started]
        self._runs = [*known, (THIS_RUN, self._started)]

    def adjust_host(self, state: HostState | None) -> HostState | None:
        if state is None or (since := self._find_start(state)) is None:
            return state
        return msgspec.structs.replace(
            state,
            at=since,
            not_before=_shorten_wait(state.not_before, state.at, since),
            circuit_until=_shorten_wait(state.circuit_until, state.at, since),
        )

    def adjust_robots(self, copy: RobotsCopy | None) -> RobotsCopy | None:
        """The age of a copy from the future is unknown, so it counts as expired (B2). An unreachable one waits for its
        next try like any other wait."""
        if copy is None or (since := self._find_start(copy)) is None:
            return copy
        is_wait = copy.outcome == "unreachable"
        return msgspec.structs.replace(
            copy,
            at=since,
            expires_at=_shorten_wait(copy.expires_at, copy.at, since) if is_wait else since,
            good_at=_find_earlier(copy.good_at, since),
            failing_since=_find_earlier(copy.failing_since, since),
            tdmrep_at=_find_earlier(copy.tdmrep_at, since),
        )

    def adjust_retry(self, failed: Failed) -> float:
        since = self._find_start(failed)
        return failed.not_before if since is None else _shorten_wait(failed.not_before, failed.at, since)

    def adjust_order(self, order: HostOrder) -> HostOrder:
        """A pause keeps its length, as one that is ordered during a run does (`order_times.py`)."""
        until = order.paused_until
        if (since := self._find_start(order)) is None:
            return order
        if until is not None and until < FOREVER:
            until = _shorten_wait(until, order.at, since)
        return msgspec.structs.replace(order, at=since, paused_until=until)

    def _find_start(self, row: Row) -> float | None:
        """The start of the run from which the waits of this row count. None if its times hold as they are; this is also
        true for rows that this run wrote itself and reads again after it forgot them."""
        if not self._is_ahead(row.at) or (frame := self._catalog.frame_of(row)) > self._last_frame:
            return None
        return self._runs[bisect_right(self._runs, frame, key=lambda run: run[0])][1]

    def _is_ahead(self, at: float) -> bool:
        return at > self._started


def _shorten_wait(until: float, written_at: float, since: float) -> float:
    return min(until, since + max(0.0, until - written_at))


def _find_earlier(at: float | None, than: float) -> float | None:
    return None if at is None else min(at, than)
