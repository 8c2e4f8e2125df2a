"""What a host is told of a request, and what it answers."""

from enum import Enum
from typing import Protocol


class Result(Protocol):
    """A request that is over: what the host learns from it. `native.Fetched` is one."""

    @property
    def ticket(self) -> int:
        """Greater than those of all requests before it."""

    @property
    def started_at(self) -> float: ...
    @property
    def ended_at(self) -> float: ...
    @property
    def failure(self) -> str | None: ...
    @property
    def status(self) -> int | None: ...
    @property
    def is_redirect(self) -> bool: ...
    @property
    def retry_after(self) -> float | None: ...
    @property
    def wire_bytes(self) -> int: ...


class HostEvent(Enum):
    """What follows from a result for those around the host."""

    CHANGED = "its state is to be saved"
    PUSHED_BACK = "it asked for time: its state is to be committed at once"
    CIRCUIT_OPENED = "its circuit has just opened"
    CIRCUIT_CLOSED = "a good answer has closed its circuit"


class Need(Enum):
    """What must come before a request."""

    ADDRESS = "its name is to be looked up"
    ROBOTS = "the robots.txt of the origin is to be requested"
    TIME = "the robots.txt cannot be reached, and is not to be requested again yet"
    NOTHING = "it is ready"


NOTHING = Need.NOTHING
"""Each request asks for it: until Python 3.12, to look up a member of an enum takes as long as several calls."""

Events = tuple[HostEvent, ...]
NOTHING_NEW: Events = ()
ONLY_CHANGED: Events = (HostEvent.CHANGED,)
CHANGED_AND_CLOSED: Events = (HostEvent.CHANGED, HostEvent.CIRCUIT_CLOSED)
