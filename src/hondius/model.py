"""What flows through a crawl: the states of a URL and the events of the log.

An event is written once and never changed; the views are folds over them. Structs are encoded as
arrays (their *order* is the format: new fields go to the end, with a default) and tagged.
"""

from enum import StrEnum

import msgspec

from hondius.position import Position

FORMAT = 2
"""Number of the on-disk format of a crawl directory. The previous one must always open (decision 0019)."""

RESERVED_EVENTS = {
    "proposed": "Proposed",
    "released": "Released",
    "snapshot": "Snapshot",
    "worker_lease": "WorkerLease",
    "render_wanted": "RenderWanted",
    "rendered": "Rendered",
}
"""Tags of events that later versions will write: a link for another owner to judge, a partition given up, a snapshot
of a view, a lease to an outside worker, a page for the browser, a page from it. No other event may take one of these
tags. A log that holds such an event is refused, never read without it."""

Epoch = tuple[int, int]
"""Who wrote a frame of a partition: the offset of its owner's marker, and the random number in that marker. An embedded
crawl has one owner for good, and no markers. If its log has several partitions, the first number is the stamp of the
frame (`Frame.stamp`)."""
NO_EPOCH: Epoch = (0, 0)
"""That of every frame of a log that has one partition and one owner."""


class State(StrEnum):
    """Where a URL ends (F7)."""

    COMPLETED = "completed"
    DUPLICATE = "duplicate"
    REDIRECTED = "redirected"
    FAILED = "failed"
    GONE = "gone"
    BLOCKED = "blocked"
    REFUSED = "refused"


INTERNAL = "internal"
"""The cause of a URL that a bug of Hondius ended. A later version tries it again."""
SAME_IDENTITY = "same_identity"
"""The cause of a request that was redirected to the same URL by another name: it is asked for once more."""
NOTHING_SENT = frozenset(
    "dns_nxdomain dns_failure dns_impossible address_refused connect_refused connect_failed connect_timeout tls_failed "
    "proxy_failed unsendable attempt_not_recorded".split()
)
"""Causes of failures that no server heard of: they count as no requests."""
ALL_FAILED = "internal_failures"
"""Why a run ended in which a bug met everything."""
LONGEST_TRACEBACK = 8_000


def internal_detail(version: str, text: str) -> str:
    """The `detail` of such an end: the version on the first line, then the traceback, whose last lines say most."""
    return f"Hondius {version}\n{text[-LONGEST_TRACEBACK:]}"


def version_of_internal(detail: str) -> str:
    return detail.partition("\n")[0].removeprefix("Hondius ")


class Event(msgspec.Struct, frozen=True, array_like=True, tag_field="event", gc=False):
    """Something that happened, durably. It is never part of a cycle, so the garbage collector need not look at it."""


class Discovered(Event, frozen=True, tag="discovered"):
    """URLs that nobody knew, in the native format (`native.decode_discoveries`)."""

    data: bytes
    count: int


class Finished(Event, frozen=True, tag="finished"):
    """A URL reached one of its end states; all that the catalog shows of it."""

    key: bytes
    url: str
    key_form: str
    host: str
    state: State
    cause: str
    """Empty for a plain completion; else why (`http_404`, `robots`, `copy`, `too_long`, …)."""
    kind: str = "page"
    depth: int = 0
    via: str = "link"
    source: bytes | None = None
    discovered_at: float = 0.0
    priority: float = 0.5
    started_at: float | None = None
    fetched_at: float | None = None
    """When the last byte came. None where nothing was sent."""
    status: int | None = None
    address: str | None = None
    type: str = ""
    charset: str = ""
    length: int = 0
    wire_length: int = 0
    truncated: bool = False
    title: str = ""
    description: str = ""
    canonical: str | None = None
    language: str = ""
    content_hash: bytes | None = None
    simhash: int | None = None
    http_date: str = ""
    last_modified: bytes = b""
    etag: bytes = b""
    """Validators, as they came."""
    redirect_to: str | None = None
    copy_of: str | None = None
    noindex: bool = False
    links: int = 0
    new_links: int = 0
    detail: str = ""
    rule_line: int = 0
    """Line of the robots.txt rule that decided, with its text in `detail` (B3)."""
    warc_file: str | None = None
    warc_offset: int | None = None
    warc_length: int | None = None
    next_fetch_at: float | None = None
    text_hash: bytes | None = None
    """Of title and main text (F6); empty: there is none; None: not known, or the body is no text, or was cut off."""
    unread_links: int = 0
    """Links of a page, or entries of a sitemap, that a cap cut off."""
    text_version: int = 0
    """Of the text extraction that made `simhash` and `text_hash`; 0 where there is no text, or in format 1."""
    links_file: str | None = None
    links_offset: int | None = None
    links_index: int | None = None
    """Where its links are kept: a link segment, a block of it, a page of the block. None where they are not."""
    usage: None = None
    """Reserved: usage preferences (W1)."""
    sketch: None = None
    """Reserved: the MinHash sketch (X2)."""

    def original_hash(self) -> bytes | None:
        """Of what later pages may be copies of: a page, never a sitemap (X1)."""
        return self.content_hash if self.state is State.COMPLETED and self.kind == "page" else None


def end_by_bug(end: Finished, detail: str, *, with_request: bool = True) -> Finished:
    """The end of a URL whose own end cannot be written; `with_request`: it tells of the request that was made."""
    request = (end.started_at, end.fetched_at, end.status, end.address) if with_request else (None,) * 4
    return Finished(
        end.key,
        end.url,
        end.key_form,
        end.host,
        State.FAILED,
        INTERNAL,
        end.kind,
        end.depth,
        end.via,
        end.source,
        end.discovered_at,
        end.priority,
        *request,
        detail=detail,
    )


class RefusedMore(Event, frozen=True, tag="refused_more"):
    """Links of a host that were refused beyond those kept one by one (F6): how many, not which."""

    host: str
    cause: str
    count: int
    at: float


class Failed(Event, frozen=True, tag="failed"):
    """A try that did not work and will be repeated; the URL is still queued."""

    key: bytes
    url: str
    host: str
    cause: str
    detail: str
    count: int
    at: float
    not_before: float


class HostState(Event, frozen=True, tag="host"):
    """A host as politeness left it. Clocks are absolute."""

    host: str
    at: float
    not_before: float
    back_off: float = 0.0
    """Extra delay earned by 429 and 503 (P2); 0 when there is none."""
    address: str | None = None
    fetched: int = 0
    """Requests answered by a page of any status; robots.txt is not counted."""
    failed: int = 0
    seconds: float = 0.0
    bytes: int = 0
    consecutive_failures: int = 0
    last_duration: float = 0.0
    crawl_delay: float = 0.0
    circuit_until: float = 0.0
    """The circuit is open until then (P4); 0 while it is closed."""
    circuit_openings: int = 0
    """How often it opened without a good answer since: each time for twice as long."""
    recrawled: int = 0
    """How many of `fetched` were of URLs that somebody wanted again: they count for no limit of a domain (D5)."""


class RobotsCopy(Event, frozen=True, tag="robots"):
    """What an origin's robots.txt said, or that it could not be had (B2)."""

    origin: str
    at: float
    outcome: str
    """parsed | none (4xx: no rules) | unreachable"""
    status: int | None
    expires_at: float
    body: bytes = b""
    """The last good copy, also where the newest try failed."""
    good_at: float | None = None
    """When `body` was fetched; None where there never was one."""
    failing_since: float | None = None
    failures: int = 0
    detail: str = ""
    cause: str = ""
    """Why it could not be had, by the failure table."""
    requests: int = 0
    """How many requests it took, redirects included."""
    usage: None = None
    """Reserved: usage preferences (W1)."""


class RobotsHop(Event, frozen=True, tag="robots_hop"):
    """A request to which a redirect of a robots.txt led (B2)."""

    href: str
    source: str
    """The URL that redirected to it."""
    at: float


class ScopeExtended(Event, frozen=True, tag="scope"):
    """Where a seed's redirect led, or a seed of an older version: it and what is near it are inside."""

    href: str


class SeedsTaken(Event, frozen=True, tag="seeds"):
    """The seeds of a command, up to here. They come in frames; the last one is marked, so that a run that was killed
    before it is known to lack some."""

    at: float
    source: str
    """What the command names: a file, standard input, or its own arguments."""
    taken: int
    """How many of the source's seeds are in the log, with those of this frame."""
    is_last: bool
    scope: str
    """Hrefs that joined the scope with them, a line each: they and what is near them are inside."""


class Blacklisted(Event, frozen=True, tag="blacklisted"):
    """A domain and all below it is not to be contacted; or, lifted, may be again."""

    domain: str
    reason: str
    at: float
    lifted: bool = False


FOREVER = 1e11
"""A time that does not come; JSON has no infinity."""
EARLIEST, LATEST = -6.2e10, 2.5e11
"""Seconds since 1970: the years 1 to 9999, which dates can show. No time or duration lies outside."""


class HostOrder(Event, frozen=True, tag="host_order"):
    """What the operator asked of one host: contact it more slowly, or not at all for a while. The newest counts."""

    host: str
    at: float
    paused_until: float | None = None
    """Not contacted before; `FOREVER`: until another order says otherwise."""
    delay: float | None = None
    """At least so many seconds between two requests, also where the crawl itself has no delay."""
    reason: str = ""


class Wanted(Event, frozen=True, tag="wanted"):
    """URLs to be fetched again at once (R4): an order, never part of a frame; what follows from it is."""

    urls: tuple[str, ...]
    depth: int = 0
    """Where they count as found; what they link to is one deeper."""
    kind: str = "page"


class NewSeeds(Event, frozen=True, tag="new_seeds"):
    """Seeds for a crawl that exists (D1): an order, never part of a frame; what follows from it is."""

    seeds: tuple[tuple[str, float | None], ...]
    """(URL, priority); None: that of any seed."""


class Archived(Event, frozen=True, tag="archived"):
    """This WARC file is durable up to `length`; what lies behind it was never committed."""

    file: str
    length: int


class LinksKept(Event, frozen=True, tag="links_kept"):
    """This link segment is durable up to `length`; what lies behind it was never committed. 0: it is given up, and
    no page's links lie there any more."""

    file: str
    length: int


class LinksRestored(Event, frozen=True, tag="links_restored"):
    """The links of a page could not be read, or were never kept. They lie here since they were read again from its
    archived body; None: it was not archived, and they are lost."""

    key: bytes
    file: str | None
    offset: int | None
    index: int | None


class Salvaged(Event, frozen=True, tag="salvaged"):
    """The log was damaged and put together again: the frames of these ranges, first and last, say nothing any more."""

    at: float
    lost: tuple[tuple[int, int], ...]


class RunStarted(Event, frozen=True, tag="run"):
    at: float
    version: str
    agent: str = ""
    """The product token that robots.txt was read for."""
    rules: dict[str, float] = {}
    """The numbers of `[politeness]` that this run kept to, so that an audit need not believe a file that was edited."""
    attempts: int = 0
    """The number of its file of attempt records; 0 in logs that are older than this field."""


class RunEnded(Event, frozen=True, tag="ended"):
    at: float
    reason: str


class FoundCloser(Event, frozen=True, tag="closer"):
    """URLs that were known when a shorter path to them was found (D5), in the native format of `Discovered`."""

    data: bytes
    count: int


class Reprioritised(Event, frozen=True, tag="reprioritised"):
    """Queued URLs get another priority: `data` is made by `UrlStore.reprioritise`. What has ended by then, or is
    parked, stays as it is."""

    data: bytes
    count: int


class Reread(Event, frozen=True, tag="reread"):
    """The links of a page that was found closer were read again from the archive: they are one deeper than this."""

    key: bytes
    depth: int


class LeftOut(Event, frozen=True, tag="left_out"):
    """Something led out of the scope while seeds were still to come (D1): a later seed may bring it inside. It is
    judged again when the scope has grown and no more seeds come."""

    key: bytes
    """Of the page, sitemap or redirect; empty where `origin` says what it is."""
    depth: int
    """Of what it leads to."""
    hops: int = 0
    """Of a redirect: how many it took to get there."""
    origin: str = ""
    """Its robots.txt was read, and the sitemaps of an origin outside the scope are not asked for."""


class JudgedAgain(Event, frozen=True, tag="judged_again"):
    """What was left out was judged by the scope as it is by now."""

    key: bytes
    origin: str = ""


REOPENED = "reopened"
"""Why a run ended whose crawl goes on: a view broke, and is opened again or made anew."""


RESERVED_FIELDS = frozenset({"usage", "sketch"})
"""Places in `Finished` and `RobotsCopy` for what later versions know. They are always None, and come last."""

AnyEvent = (
    Discovered
    | Finished
    | RefusedMore
    | Failed
    | HostState
    | RobotsCopy
    | RobotsHop
    | ScopeExtended
    | SeedsTaken
    | Blacklisted
    | HostOrder
    | Archived
    | Salvaged
    | RunStarted
    | RunEnded
    | FoundCloser
    | Reprioritised
    | Reread
    | LeftOut
    | JudgedAgain
    | LinksKept
    | LinksRestored
)

Order = Blacklisted | HostOrder | Wanted | NewSeeds
"""What an operator asks of a crawl, also while it runs."""


class OwnerMarker(Event, frozen=True, tag="owner"):
    """A node took over a partition of a cluster's log. Its offset is the epoch of all that this owner writes."""

    node: str
    at: float


PartitionEvent = AnyEvent | OwnerMarker


class Frame(msgspec.Struct, frozen=True):
    """What one commit made durable: all of it, or none."""

    sequence: int
    at: float
    events: tuple[AnyEvent, ...]
    log: int = 0
    """The identity of the log that it is of: no field of the frame as it is written. 0 where nobody can tell."""
    epoch: Epoch = NO_EPOCH
    partition: int = 0
    stamp: int = 0
    """In a log of several partitions: how many frames of all partitions there were with it. Else 0."""

    @property
    def number(self) -> int:
        """Its place among the frames of all partitions. No other frame of the log has this number."""
        return self.stamp or self.sequence

    @property
    def position(self) -> Position:
        """Behind this frame."""
        return Position((0,) * self.partition + (self.sequence,))
