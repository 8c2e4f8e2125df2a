"""What a journey leaves behind for the commit."""

from collections.abc import Callable, Sequence

import msgspec

from hondius.model import AnyEvent, Finished
from hondius.native import Discoveries, Fetched
from hondius.ports import LinkSource


class Outcome(msgspec.Struct):
    """One step of one URL. All of it becomes durable together, or none of it.

    A struct, not a dataclass: every page leaves one, and those take five times as long to make."""

    events: Sequence[AnyEvent] = ()
    finished: Finished | None = None
    """Gets its place in the archive when that is known."""
    discoveries: Sequence[Discoveries] = ()
    fetched: Fetched | None = None
    """An exchange to be archived."""
    copy_of: str | None = None
    copy_date: str | None = None
    is_unnamed_copy: bool = False
    """The commit finds out of which page it is a copy, before it is archived."""
    metadata: str = ""
    keep_body: bool = True
    durable: Callable[[], None] | None = None
    """Called when the frame is."""
    unwritten: Callable[[BaseException], None] | None = None
    """Called if a bug keeps it from being written. If this is None, the boundary ends its URL."""
    spared: int = 0
    """How often it was cut down to what can be written."""
    place: tuple[str, int, int] | None = None
    """Where its record is in the archive; None while it has none."""
    keep_links: bool = False
    """Its answer is a page whose links are to be kept."""
    links_place: tuple[str, int, int] | None = None
    """Where its links are kept; None while they are not."""
    size: int = 0
    """The changes that it brings."""

    def __post_init__(self) -> None:
        size = 1 + len(self.events)
        for found in self.discoveries:
            size += found.count + found.closer_count
        self.size = size

    @property
    def link_source(self) -> LinkSource | None:
        """The page whose links are still to be kept."""
        if not self.keep_links or self.links_place is not None or self.finished is None or self.fetched is None:
            return None
        page = self.fetched.page
        return None if page is None else (self.finished.key, self.finished.url, page)

    @property
    def is_unarchived(self) -> bool:
        return self.fetched is not None and self.place is None
