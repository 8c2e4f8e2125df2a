"""What a host learns from a request, and what follows from it."""

from enum import Enum
from typing import Protocol


class Result(Protocol):
    """The result of a request, as far as the host needs it. `native.Fetched` is one."""

    @property
    def ticket(self) -> int:
        """Greater than the tickets of all earlier requests."""

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
    """What a result changed about the host, for the parts around it."""

    CHANGED = "its state is to be saved"
    PUSHED_BACK = "it asked for time: its state is to be committed at once"
    CIRCUIT_OPENED = "its circuit has just opened"
    CIRCUIT_CLOSED = "a good answer has closed its circuit"


class Need(Enum):
    """What must come before a request."""

    ADDRESS = "its name is to be looked up"
    ROBOTS = "the robots.txt of the origin, or its tdmrep.json, is to be requested"
    TIME = "the robots.txt cannot be reached, and is not to be requested again yet"
    NOTHING = "it is ready"


NOTHING = Need.NOTHING
"""A constant because every request needs it: before Python 3.12, looking up an enum member takes as long as several
calls."""

Events = tuple[HostEvent, ...]
NOTHING_NEW: Events = ()
ONLY_CHANGED: Events = (HostEvent.CHANGED,)
CHANGED_AND_CLOSED: Events = (HostEvent.CHANGED, HostEvent.CIRCUIT_CLOSED)
