"""Lists pages to be reread: those that were found closer, or that led out of a scope that has grown since."""

from collections import Counter
from collections.abc import Callable, Sequence

from hondius.crawler.left_out import LeftOuts
from hondius.model import AnyEvent, LeftOut, Reread
from hondius.ports import PartitionView, UrlStore, find_position

BATCH = 32
MOST_LOOKED_AT = 1_000
TRIES = 3

Item = Reread | LeftOut
"""Something to be reread: a page that was found closer (as the event that will record it), or something that was left
out of the scope."""


class RereadList:
    def __init__(self, urls: UrlStore, view: PartitionView, left_outs: LeftOuts, max_depth: int | None) -> None:
        self._urls = urls
        self._view = view
        self._left_outs = left_outs
        self._max_depth = max_depth
        self._may_be_closer = True
        self._may_be_inside = True
        self.frames_applied = 0
        """The number of frames applied since the run began."""
        self._failures: Counter[tuple[bytes, str]] = Counter()
        """By page or origin. At most MOST_LOOKED_AT: what fails stays at the head of the list."""

    def note_frame(self) -> None:
        """A frame was applied: it may have found a page closer, or extended the scope."""
        self._may_be_closer = self._may_be_inside = True
        self.frames_applied += 1

    @property
    def is_undecided(self) -> bool:
        """Whether something may have to be judged again. The view knows once it has the last frame."""
        return self._may_be_inside and self._left_outs.has_any

    def make_view_check(self) -> Callable[[], bool]:
        """Returns a function that tells whether the view has every frame that the URL store has now. The view gets a
        frame after the store."""
        now = find_position(self._urls)
        return lambda: self._view.position.covers(now)

    @property
    def may_have_left_out(self) -> bool:
        """Whether the view may list something to judge again, now that this run reads no more seeds."""
        return self.is_undecided and not self._left_outs.reads_seeds

    def list_found_closer(self) -> Sequence[Item]:
        """The next pages to reread. A page that is also queued for a recrawl is not waited for: the recrawl may take
        days, and it admits the new links then."""
        if self._max_depth is None or not self._may_be_closer:
            return ()
        pages = self._urls.rereads(self._max_depth, MOST_LOOKED_AT)
        due = self._select_due([Reread(key, depth) for depth, key in pages])
        self._may_be_closer = bool(due)
        return due

    def read_left_out(self) -> Sequence[LeftOut]:
        """What the view lists. Runs on a worker thread."""
        return self._view.left_out(MOST_LOOKED_AT)

    def select_left_out(self, listed: Sequence[LeftOut], frames_seen: int) -> Sequence[Item]:
        """Selects from `listed` what to judge again. `frames_seen`: `frames_applied` before `listed` was read."""
        if self._left_outs.reads_seeds:
            return ()
        due = self._select_due(listed)
        if not due and frames_seen == self.frames_applied:
            self._may_be_inside = False
        return due

    def _select_due(self, items: Sequence[Item]) -> Sequence[Item]:
        return [item for item in items if self._failures[_make_name(item)] < TRIES][:BATCH]

    def list_again(self, item: LeftOut) -> Sequence[AnyEvent]:
        """While seeds are missing it stays listed: they may extend the scope further."""
        return self._left_outs.make_left_out(item.key, item.depth, item.hops, item.origin)

    def count_failure(self, item: Item) -> None:
        self._failures[_make_name(item)] += 1

    def forget_failures(self, item: Item) -> None:
        self._failures.pop(_make_name(item), None)


def _make_name(item: Item) -> tuple[bytes, str]:
    return item.key, item.origin if isinstance(item, LeftOut) else ""
