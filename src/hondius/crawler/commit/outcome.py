"""What a journey leaves behind for the commit."""

from collections.abc import Callable, Sequence

import msgspec

from hondius.model import AnyEvent, Finished, HostState
from hondius.native import Discoveries, Fetched
from hondius.ports import LinkSource

Place = tuple[str, int, int]


class FetchRecord(msgspec.Struct):
    """An exchange to be archived, as `ports.ArchivedFetch` wants it.

    Structs, not dataclasses, here and below: every page leaves one of each, and dataclasses take five times as long to
    make."""

    fetched: Fetched
    copy_of: str | None = None
    copy_date: str | None = None
    metadata: str = ""
    keep_body: bool = True
    is_unnamed_copy: bool = False
    """The commit finds out of which page it is a copy, before it is archived."""
    place: Place | None = None
    """Where it lies in the archive; None while it does not."""

    def keep_whole(self) -> None:
        """It is no copy any more: its body is to be archived, whatever was."""
        self.copy_of = self.copy_date = self.place = None


class LinkRecord(msgspec.Struct):
    """The links of a page, to be kept."""

    source: LinkSource
    place: Place | None = None
    """Where they lie; None while they do not."""


class Outcome(msgspec.Struct):
    """One step of one URL. All of it becomes durable together, or none of it. In a log of several partitions, what was
    found in others is durable before the rest."""

    events: Sequence[AnyEvent] = ()
    finished: Finished | None = None
    """Gets its places in the archive and in the link segments when they are known."""
    discoveries: Sequence[Discoveries] = ()
    record: FetchRecord | None = None
    links: LinkRecord | None = None
    on_durable: Callable[[], None] | None = None
    """Called when all of it is."""
    on_unwritten: Callable[[BaseException], None] | None = None
    """Called if a bug keeps it from being written. If this is None, the boundary ends its URL."""
    times_reduced: int = 0
    """How often it was cut down to what can be written."""

    @property
    def size(self) -> int:
        """The changes that it brings."""
        size = 1 + len(self.events)
        for found in self.discoveries:
            size += found.count + found.closer_count
        return size


Change = Outcome | HostState
