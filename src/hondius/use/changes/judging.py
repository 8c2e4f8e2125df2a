"""Decides whether the end of a page is a change (R3, R6).

    new       the first good answer, or the first after the page was gone
    changed   its text differs from that of the last good answer, or it has become a redirect
    gone      404 or 410 twice in a row, after it was there

The crawl itself has compared the texts (`Finished.changed`). Where it could not, for example because the extraction has
a new version, nothing is a change.
"""

from collections.abc import Callable, Sequence
from typing import Any

from hondius.model import Finished, State
from hondius.use.changes.change import ChangeKind

Fetch = dict[str, Any]
PRESENT = frozenset({State.COMPLETED, State.DUPLICATE})
GOOD = PRESENT | {State.REDIRECTED}


def judge_end(
    end: Finished, number: int, index: int, list_fetches: Callable[[bytes], Sequence[Fetch]]
) -> tuple[ChangeKind, float | None] | None:
    """The kind, and when the page was there before; None for no change. `number` and `index`: the frame, and the place
    in it. `list_fetches`: all fetches of a page in the catalog, also later ones."""
    is_good, is_gone = end.state in GOOD, end.state is State.GONE
    if end.kind != "page" or not (is_good or is_gone) or (is_good and end.changed is False):
        return None
    earlier = [fetch for fetch in list_fetches(end.key) if (fetch["sequence"], fetch["position"]) < (number, index)]
    ends = [fetch["outcome"] for fetch in earlier if fetch["outcome"] in GOOD or fetch["outcome"] == State.GONE]
    was_there = bool(ends) and ends[-1] in PRESENT
    previous_at = next((fetch["ended_at"] for fetch in reversed(earlier) if fetch["outcome"] in PRESENT), None)
    if is_gone:
        return (ChangeKind.GONE, previous_at) if was_there else None
    if was_there:
        return (ChangeKind.CHANGED, previous_at) if end.changed else None
    return (ChangeKind.NEW, previous_at) if end.state in PRESENT else None
