"""What led out of the scope while seeds were still to come (D1).

Seeds open the scope around themselves, and pages are fetched while they are read. So a link may lead to the host of a
seed that nobody has read yet. Such a link is refused, like any other out of the scope, and its page is listed. When no
more seeds come, `rereading.py` judges what is listed again if the scope has grown since. Where all seeds came in one
frame, nothing is ever listed.
"""

from collections.abc import Collection

from hondius.crawler.seeds import SeedSource
from hondius.model import LeftOut


class LeftOuts:
    def __init__(self, source: SeedSource | None, unfinished: Collection[str], *, has_any: bool) -> None:
        """`source`: the seeds of this run. `unfinished`: the names of all sources of which the log lacks some, those
        of a run that was killed included."""
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
        """Whether seeds are missing that were named, in this run or in one that was killed."""
        return self.reads_seeds or self._lacks_others

    def make_left_out(self, key: bytes = b"", depth: int = 0, hops: int = 0, origin: str = "") -> list[LeftOut]:
        """Returns the event that lists it; nothing if all seeds are known."""
        if not self.scope_may_grow:
            return []
        self.has_any = True
        return [LeftOut(key, depth, hops, origin)]
