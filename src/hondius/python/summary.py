"""What a crawl has done so far, and its hosts."""

from dataclasses import dataclass
from datetime import datetime

from hondius.model import HostState, State
from hondius.opening import Crawl
from hondius.python.parts import to_datetime


@dataclass(frozen=True, slots=True)
class Summary:
    """What a crawl has done so far."""

    states: dict[str, int]
    """URLs of pages that have ended, by state."""
    causes: dict[str, int]
    """The same by state and cause, such as `failed/http_404`."""
    hosts: int
    requests: int
    wire_bytes: int
    archived_bytes: int
    running: bool
    """Whether a process crawls now."""
    started_at: datetime | None
    """The start of the last run; None if it never ran."""
    ended_at: datetime | None
    """None if the last run is in progress, or was killed."""
    reason: str | None
    """Why the last run ended."""


@dataclass(frozen=True, slots=True)
class Host:
    """A host that was contacted."""

    name: str
    address: str | None
    fetched: int
    """Requests answered by a page of any status; robots.txt is not counted."""
    failed: int
    bytes: int
    average_response: float | None
    """Seconds."""
    crawl_delay: float
    """Seconds between two requests that its robots.txt asks for; 0 if it does not."""
    not_before: datetime | None
    """When it may be contacted again; None if it never had to wait."""

    @classmethod
    def of(cls, host: HostState) -> "Host":
        average = host.seconds / host.fetched if host.fetched else None
        counts = (host.fetched, host.failed, host.bytes)
        return cls(host.host, host.address, *counts, average, host.crawl_delay, to_datetime(host.not_before or None))


def summarise(crawl: Crawl) -> Summary:
    catalog = crawl.catalog
    totals, run = catalog.totals(), catalog.last_run() or {}
    return Summary(
        states={state.value: totals["states"].get(state, 0) for state in State},
        causes={f"{state}/{cause}": count for (state, cause), count in totals["causes"].items() if cause},
        hosts=totals["hosts"],
        requests=totals["fetches"],
        wire_bytes=totals["wire_bytes"],
        archived_bytes=crawl.archive.size(),
        running=crawl.place.holder() is not None,
        started_at=to_datetime(run.get("started_at")),
        ended_at=to_datetime(run.get("ended_at")),
        reason=run.get("reason"),
    )
