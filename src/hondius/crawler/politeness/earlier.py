"""Times that an earlier run wrote down, read by the clock of this run.

The wall clock may be set while no run watches it. Where it was set back, what an earlier run wrote lies in the future,
and a wait of a second would last for days. Every wait is written down beside the time of writing. Some time has truly
passed since then, so what is left of a wait, counted from the start of this run, is never longer than the whole wait.

Where it was set forward, nothing can be told from time that passed: waits end early, but every known host waits for its
delay after a start (`Hosts`).
"""

import msgspec

from hondius.clock import Clock
from hondius.model import Failed, HostState, RobotsCopy


class EarlierTimes:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._started = clock.now()

    def host(self, state: HostState | None) -> HostState | None:
        if state is None or not self._is_ahead(state.at):
            return state
        return msgspec.structs.replace(
            state,
            at=self._started,
            not_before=self._until(state.not_before, state.at),
            circuit_until=self._until(state.circuit_until, state.at),
        )

    def robots(self, copy: RobotsCopy | None) -> RobotsCopy | None:
        """Nobody knows how old a copy from the future is: it counts as expired (B2). One that could not be had waits
        for its next try as any wait does."""
        if copy is None or not self._is_ahead(copy.at):
            return copy
        is_wait = copy.outcome == "unreachable"
        return msgspec.structs.replace(
            copy,
            at=self._started,
            expires_at=self._until(copy.expires_at, copy.at) if is_wait else self._started,
            good_at=_no_later(copy.good_at, self._started),
            failing_since=_no_later(copy.failing_since, self._started),
        )

    def retry_at(self, failed: Failed) -> float:
        return self._until(failed.not_before, failed.at) if self._is_ahead(failed.at) else failed.not_before

    def _is_ahead(self, at: float) -> bool:
        """Not so for what this run wrote itself, which is loaded again when it was forgotten."""
        return at > self._clock.now()

    def _until(self, until: float, written_at: float) -> float:
        return min(until, self._started + max(0.0, until - written_at))


def _no_later(at: float | None, than: float) -> float | None:
    return None if at is None else min(at, than)
