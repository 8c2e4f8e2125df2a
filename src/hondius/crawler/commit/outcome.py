"""What a journey submits to the commit."""

from collections.abc import Callable, Sequence

import msgspec

from hondius.model import AnyEvent, Finished, HostState
from hondius.native import Discoveries, Fetched
from hondius.ports import LinkSource

Location = tuple[str, int, int]


class FetchRecord(msgspec.Struct):
    """An exchange to be archived, as `ports.ArchivedFetch` requires.

    These are structs, not dataclasses: every page creates one of each, and dataclasses take five times as long."""

    fetched: Fetched
    copy_of: str | None = None
    copy_date: str | None = None
    metadata: str = ""
    keep_body: bool = True
    lacks_original: bool = False
    """Before it is archived, the commit finds the page of which it is a copy."""
    location: Location | None = None
    """Where it is in the archive; None until it is there."""

    def keep_whole(self) -> None:
        """It is not a copy any more: its body is archived, even if it was archived as a copy before."""
        self.copy_of = self.copy_date = self.location = None


class LinkRecord(msgspec.Struct):
    """The links of a page, to be kept."""

    source: LinkSource
    location: Location | None = None
    """Where they are stored; None until they are."""


class Outcome(msgspec.Struct):
    """One step of one URL. All of it becomes durable together, or none of it. In a log of several partitions, what was
    found in other partitions is durable before the rest."""

    events: Sequence[AnyEvent] = ()
    finished: Finished | None = None
    """Gets its places in the archive and in the link segments when they are known."""
    discoveries: Sequence[Discoveries] = ()
    record: FetchRecord | None = None
    links: LinkRecord | None = None
    on_durable: Callable[[], None] | None = None
    """Called when all of it is durable."""
    on_unwritten: Callable[[BaseException], None] | None = None
    """Called if a bug prevents writing it. If this is None, the boundary ends its URL."""
    times_reduced: int = 0
    """How often it was reduced to what can be written."""

    @property
    def size(self) -> int:
        """The number of its changes."""
        size = 1 + len(self.events)
        for found in self.discoveries:
            size += found.count + found.closer_count
        return size


Change = Outcome | HostState
