"""What earlier visits saw of a page: for how long it was unchanged, and the intervals in which it had changed.

That is all that the estimate needs (`estimate.py`). It is stored with the end of each visit (`Finished.visits`), in
constant space: intervals of similar length are counted together, with their mean. Old evidence fades as new evidence
comes, so that the estimate follows a page whose rate changes.
"""

import struct
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite, log2

MOST_GROUPS = 12
"""Groups of changed intervals. Above it, the two that are closest become one."""
MOST_EVIDENCE = 64.0
"""Visits that are remembered. With more, all of them fade to this sum."""
SHORTEST_INTERVAL, LONGEST_INTERVAL = 1.0, 1e10
"""Seconds. Clocks may go back, and files may lie."""

_HEAD, _GROUP = struct.Struct("<ff"), struct.Struct("<ff")


@dataclass(frozen=True, slots=True)
class History:
    """`unchanged`: seconds without a change, in `quiet` visits. `changed`: (mean seconds, how many) of the intervals
    with a change, shortest first."""

    unchanged: float = 0.0
    quiet: float = 0.0
    changed: tuple[tuple[float, float], ...] = ()

    @property
    def changes(self) -> float:
        return sum(count for _, count in self.changed)

    @property
    def visits(self) -> float:
        return self.quiet + self.changes

    def add(self, interval: float, *, has_changed: bool) -> "History":
        """The history after one more visit, `interval` seconds after the one before."""
        interval = min(max(interval, SHORTEST_INTERVAL), LONGEST_INTERVAL)
        kept = self._fade(MOST_EVIDENCE - 1.0)
        if not has_changed:
            return History(kept.unchanged + interval, kept.quiet + 1.0, kept.changed)
        return History(kept.unchanged, kept.quiet, _add_interval(kept.changed, interval))

    def _fade(self, most: float) -> "History":
        if self.visits <= most:
            return self
        share = most / self.visits
        changed = tuple((mean, count * share) for mean, count in self.changed)
        return History(self.unchanged * share, self.quiet * share, changed)

    def encode(self) -> bytes:
        groups = b"".join(_GROUP.pack(mean, count) for mean, count in self.changed)
        return _HEAD.pack(self.unchanged, self.quiet) + groups


NO_HISTORY = History()


def decode_history(data: bytes | None) -> History:
    """An empty history if there is none, or if it is not one: a crawl directory may come from a stranger."""
    if not data or len(data) > _HEAD.size + MOST_GROUPS * _GROUP.size or (len(data) - _HEAD.size) % _GROUP.size:
        return NO_HISTORY
    unchanged, quiet = _HEAD.unpack_from(data)
    changed = tuple(_GROUP.iter_unpack(data[_HEAD.size :]))
    numbers = (unchanged, quiet, *(number for group in changed for number in group))
    if not all(isfinite(number) and 0.0 <= number <= LONGEST_INTERVAL * MOST_EVIDENCE for number in numbers):
        return NO_HISTORY
    return History(unchanged, quiet, tuple((max(mean, SHORTEST_INTERVAL), count) for mean, count in changed))


def _add_interval(groups: tuple[tuple[float, float], ...], interval: float) -> tuple[tuple[float, float], ...]:
    merged = sorted([*groups, (interval, 1.0)])
    near = [log2(right / left) for (left, _), (right, _) in pairwise(merged)]
    if near and (len(merged) > MOST_GROUPS or min(near) < 0.25):
        place = near.index(min(near))
        merged[place : place + 2] = [_merge(merged[place], merged[place + 1])]
    return tuple(merged)


def _merge(left: tuple[float, float], right: tuple[float, float]) -> tuple[float, float]:
    count = left[1] + right[1]
    return (left[0] * left[1] + right[0] * right[1]) / count if count else left[0], count
