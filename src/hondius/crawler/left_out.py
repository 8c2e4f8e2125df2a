"""What led out of the scope before all seeds were known (D1).

Each seed extends the scope around itself, and pages are fetched while seeds are read. So a link may lead to the host of
a seed that has not been read yet. Such a link is refused, like any other link out of the scope, and its page is listed.
When all seeds are read, `rereading.py` judges the listed pages again if the scope has grown since. If all seeds came in
one frame, nothing is ever listed.
"""

from collections.abc import Collection

from hondius.crawler.seeds import SeedSource
from hondius.model import LeftOut


class LeftOuts:
    def __init__(self, source: SeedSource | None, unfinished: Collection[str], *, has_any: bool) -> None:
        """`source`: the seeds of this run. `unfinished`: the names of all sources whose seeds are not all in the log,
        including those of a run that was killed."""
        self._source = source
        self._lacks_others = any(source is None or name != source.name for name in unfinished)
        self.has_any = has_any
        """Whether anything may be listed."""

    @property
    def reads_seeds(self) -> bool:
        """Whether this run still reads seeds."""
        return self._source is not None and not self._source.is_over

    @property
    def scope_may_grow(self) -> bool:
        """Whether seeds are still missing, of this run or of one that was killed."""
        return self.reads_seeds or self._lacks_others

    def make_left_out(self, key: bytes = b"", depth: int = 0, hops: int = 0, origin: str = "") -> list[LeftOut]:
        """The event that lists it; none if all seeds are known."""
        if not self.scope_may_grow:
            return []
        self.has_any = True
        return [LeftOut(key, depth, hops, origin)]
