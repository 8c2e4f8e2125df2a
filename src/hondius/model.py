"""What flows through a crawl: the states of a URL and the events of the log.

An event is written once and never changed; views are computed from events. Structs are encoded as tagged arrays. The
*order* of their fields is the format: new fields go to the end, with a default, before the reserved ones.

A new event belongs into `AnyEvent`, and into each place that tells events apart: its partition (`commit/routing.py`),
its rows in the catalog (`stores/catalog/frame_rows.py`), the URL store if it changes a queue (`commit/catch_up.py`),
and the readers of the log that need it (`use/audit/shifts.py` for its times, `use/explain/past_state.py`).
"""

from enum import StrEnum
from typing import Literal

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
"""Tags of events that later versions will write: a link for another owner to judge, a released partition, a snapshot of
a view, a lease to an outside worker, a page for the browser, a page from it. No other event may use these tags. A log
with such an event is refused; the event is never skipped."""

Epoch = tuple[int, int]
"""Who wrote a frame of a partition: the offset of its owner's marker, and the random number in that marker. An embedded
crawl has one owner for good, and no markers. If its log has several partitions, the first number is the stamp of the
frame (`Frame.stamp`)."""
NO_EPOCH: Epoch = (0, 0)
"""The epoch of every frame of a log with one partition and one owner."""


class State(StrEnum):
    """The final state of a URL (F7)."""

    COMPLETED = "completed"
    DUPLICATE = "duplicate"
    REDIRECTED = "redirected"
    FAILED = "failed"
    GONE = "gone"
    BLOCKED = "blocked"
    REFUSED = "refused"


WITH_CONTENT = (State.COMPLETED, State.DUPLICATE)
"""The states of pages with content."""
NOT_MODIFIED = 304
"""The HTTP status of an answer that confirms the content of the answer before."""
INTERNAL = "internal"
"""The cause of a URL that a bug of Hondius ended. A later version tries it again."""
SAME_IDENTITY = "same_identity"
"""The cause of a request that was redirected to the same URL under another name: it is requested once more."""
NOTHING_SENT = frozenset(
    "dns_nxdomain dns_failure dns_impossible address_refused connect_refused connect_failed connect_timeout tls_failed "
    "proxy_failed unsendable attempt_not_recorded".split()
)
"""Causes of failures before anything was sent to a server: these are not counted as requests."""
ALL_FAILED = "internal_failures"
"""Why a run ended: it had nothing but internal failures."""
LONGEST_TRACEBACK = 8_000


def format_internal_detail(version: str, text: str) -> str:
    """Formats the `detail` of an internal failure: the version on the first line, then the end of the traceback."""
    return f"Hondius {version}\n{text[-LONGEST_TRACEBACK:]}"


def parse_internal_version(detail: str) -> str:
    return detail.partition("\n")[0].removeprefix("Hondius ")


class Event(msgspec.Struct, frozen=True, array_like=True, tag_field="event", gc=False):
    """Something that happened, durably. Events are never part of a cycle, so the garbage collector ignores them."""


class Discovered(Event, frozen=True, tag="discovered"):
    """New URLs, in the native format (`native.decode_discoveries`)."""

    data: bytes
    count: int


class Finished(Event, frozen=True, tag="finished"):
    """A URL reached its final state; everything that the catalog shows of it."""

    key: bytes
    url: str
    key_form: str
    host: str
    state: State
    cause: str
    """Empty for a plain completion; otherwise the reason (`http_404`, `robots`, `copy`, `too_long`, …)."""
    kind: str = "page"
    depth: int = 0
    via: str = "link"
    source: bytes | None = None
    discovered_at: float = 0.0
    priority: float = 0.5
    started_at: float | None = None
    fetched_at: float | None = None
    """When the last byte arrived. None if nothing was sent."""
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
    """Validators, as received."""
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
    """Hash of title and main text (F6). Empty: no text. None: unknown, or the body is not text or truncated."""
    unread_links: int = 0
    """Links of a page, or URLs listed in a sitemap, above the cap."""
    text_version: int = 0
    """Version of the text extraction that computed `simhash` and `text_hash`; 0 without text, and in format 1."""
    links_file: str | None = None
    links_offset: int | None = None
    links_index: int | None = None
    """Where its links are stored: a link segment, a block of it, a page of the block. None if they are not."""
    usage: str | None = None
    """Usage preferences as they stood when it was fetched, one a line (`usage.py`); None if there were none (W2)."""
    imported: str | None = None
    """The archive of others that the answer comes from; None if it was requested (S11)."""
    sketch: None = None
    """Reserved: the MinHash sketch (X2)."""

    def original_hash(self) -> bytes | None:
        """The hash of a body that later pages may be copies of; None for anything but a page (X1)."""
        return self.content_hash if self.state is State.COMPLETED and self.kind == "page" else None


def end_by_bug(end: Finished, detail: str, *, with_request: bool = True) -> Finished:
    """The end of a URL whose real end cannot be written. `with_request`: it includes the request that was sent."""
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
    """Refused links of a host above the number that is stored one by one (F6): how many, not which."""

    host: str
    cause: str
    count: int
    at: float


class Failed(Event, frozen=True, tag="failed"):
    """A failed request that will be retried; the URL is still queued."""

    key: bytes
    url: str
    host: str
    cause: str
    detail: str
    count: int
    at: float
    not_before: float


class HostState(Event, frozen=True, tag="host"):
    """The politeness state of a host. Times are absolute."""

    host: str
    at: float
    not_before: float
    back_off: float = 0.0
    """The delay after 429 and 503 (P2), which applies if it is the longest; 0 if there is none."""
    address: str | None = None
    fetched: int = 0
    """Requests for URLs, answered or not; those for robots.txt are not counted."""
    failed: int = 0
    seconds: float = 0.0
    bytes: int = 0
    consecutive_failures: int = 0
    last_duration: float = 0.0
    crawl_delay: float = 0.0
    circuit_until: float = 0.0
    """Until when the circuit is open (P4); 0 if it is closed."""
    circuit_openings: int = 0
    """How often it opened since the last good answer: each time for twice as long."""
    recrawled: int = 0
    """How many of `fetched` were recrawls: they do not count towards the limit of a domain (D5)."""


class RobotsCopy(Event, frozen=True, tag="robots"):
    """The robots.txt of an origin, or that it was unreachable (B2)."""

    origin: str
    at: float
    outcome: str
    """parsed | none (4xx: no rules) | unreachable"""
    status: int | None
    expires_at: float
    body: bytes = b""
    """The last good copy, even if the newest request failed."""
    good_at: float | None = None
    """When `body` was fetched; None if it never was."""
    failing_since: float | None = None
    failures: int = 0
    detail: str = ""
    cause: str = ""
    """Why it was unreachable: a cause of the failure table."""
    requests: int = 0
    """How many requests it took, redirects included."""
    usage: str | None = None
    """The lines of `body` that state usage preferences for us, as written, and the rules of `tdmrep`; None if there are
    none (W2)."""
    tdmrep: bytes = b""
    """The last good `/.well-known/tdmrep.json` of the origin (W1)."""
    tdmrep_at: float | None = None
    """When its last request ended, or when robots.txt forbade it; None if it was never wanted."""
    tdmrep_status: int | None = None
    tdmrep_cause: str = ""
    """Why there was no answer: a cause of the failure table, `robots`, or `too_long`."""
    imported: str | None = None
    """The archive of others that it comes from (S11). Such a copy states usage preferences, and never permits a
    request."""


class RobotsHop(Event, frozen=True, tag="robots_hop"):
    """A request that followed a redirect of a robots.txt (B2)."""

    href: str
    source: str
    """The URL that redirected to it."""
    at: float


class ScopeExtended(Event, frozen=True, tag="scope"):
    """Extends the scope around the target of a seed's redirect. Older versions wrote one for each seed, too."""

    href: str


class SeedsTaken(Event, frozen=True, tag="seeds"):
    """The seeds of a command, up to here. They are written in several frames, and the last one is marked. Without the
    mark, a run was killed before all seeds were taken."""

    at: float
    source: str
    """What the command names: a file, standard input, or its own arguments."""
    taken: int
    """How many of the source's seeds are in the log, including this frame."""
    is_last: bool
    scope: str
    """Hrefs that joined the scope with these seeds, one per line."""


class Blacklisted(Event, frozen=True, tag="blacklisted"):
    """A domain and its subdomains must not be contacted; or, if `lifted`, may be contacted again."""

    domain: str
    reason: str
    at: float
    lifted: bool = False


FOREVER = 1e11
"""A time that never comes; JSON has no infinity."""
EARLIEST, LATEST = -6.2e10, 2.5e11
"""Seconds since 1970: the years 1 to 9999, which dates can show. No time or duration lies outside."""


class HostOrder(Event, frozen=True, tag="host_order"):
    """An order of the operator for one host: contact it more slowly, or not at all for a while. The newest counts."""

    host: str
    at: float
    paused_until: float | None = None
    """Do not contact it before; `FOREVER`: until another order."""
    delay: float | None = None
    """Minimum seconds between two requests, even if the crawl itself has no delay."""
    reason: str = ""


class RecrawlOrder(Event, frozen=True, tag="wanted"):
    """URLs to refetch (R4). An order is never part of a frame; the events that it causes are."""

    urls: tuple[str, ...]
    depth: int = 0
    """Of URLs that the crawl does not know yet, and of sitemaps. All others keep their depth."""
    kind: str = "page"
    fresh: bool = False
    """Request them without validators: a stored body cannot be read any more (H4)."""
    at_once: bool = True
    """The operator names them: they come before all others of their host. Otherwise they come in their usual order."""


class NewSeeds(Event, frozen=True, tag="new_seeds"):
    """Seeds for an existing crawl (D1). An order is never part of a frame; the events that it causes are."""

    seeds: tuple[tuple[str, float | None], ...]
    """(URL, priority); None: the default priority of seeds."""


class Archived(Event, frozen=True, tag="archived"):
    """This WARC file is durable up to `length`; bytes after that were never committed."""

    file: str
    length: int


class LinksKept(Event, frozen=True, tag="links_kept"):
    """This link segment is durable up to `length`; bytes after that were never committed. 0: it is abandoned, and no
    page's links are in it any more."""

    file: str
    length: int


class LinksRestored(Event, frozen=True, tag="links_restored"):
    """The links of a page could not be read, or were never stored. They were read again from its archived body, and are
    here now. None: the body was not archived, and the links are lost."""

    key: bytes
    file: str | None
    offset: int | None
    index: int | None


class Salvaged(Event, frozen=True, tag="salvaged"):
    """The log was damaged and salvaged: the frames of these ranges (first, last) were lost and are empty now."""

    at: float
    lost: tuple[tuple[int, int], ...]


class RunStarted(Event, frozen=True, tag="run"):
    at: float
    version: str
    agent: str = ""
    """The product token used for robots.txt."""
    rules: dict[str, float] = {}
    """The numbers of `[politeness]` in this run, so that an audit need not trust a file that may have been edited."""
    attempts: int = 0
    """The number of its attempt file; 0 in logs that are older than this field."""
    tried: tuple[tuple[bytes, str], ...] = ()
    """(key, URL) of what `explain --try` requests in this run. The log has no other event with this URL."""


class RunEnded(Event, frozen=True, tag="ended"):
    at: float
    reason: str
    requests: int = 0
    """Requests of the run that no other event counts: those of `explain --try`."""


class FoundCloser(Event, frozen=True, tag="closer"):
    """Known URLs to which a shorter path was found (D5), in the native format of `Discovered`."""

    data: bytes
    count: int


class Reprioritised(Event, frozen=True, tag="reprioritised"):
    """Queued URLs get another priority: `UrlStore.reprioritise` creates `data`. URLs that have ended by then, or are
    parked, are not changed."""

    data: bytes
    count: int


class Reread(Event, frozen=True, tag="reread"):
    """The links of a page that was found closer were read again from the archive. Their depth is `depth` + 1."""

    key: bytes
    depth: int


class LeftOut(Event, frozen=True, tag="left_out"):
    """Something led out of the scope while seeds were still missing (D1), and a later seed may bring it into the scope.
    It is judged again when the scope has grown and no more seeds come."""

    key: bytes
    """Key of the page, sitemap or redirect; empty if `origin` is set."""
    depth: int
    """Depth of its targets."""
    hops: int = 0
    """Of a redirect: how many redirects led there."""
    origin: str = ""
    """An origin outside the scope: its robots.txt was read, but its sitemaps were not requested."""


class JudgedAgain(Event, frozen=True, tag="judged_again"):
    """Something that was left out was judged again, by the current scope."""

    key: bytes
    origin: str = ""


class Extracted(Event, frozen=True, tag="extracted"):
    """What the hooks of the user said about a page. It is in the frame of the page's end, before that end."""

    key: bytes
    data: str = ""
    """A JSON object; empty if there is none."""
    failures: str = ""
    """Hooks that failed for this page, one a line, with the reason."""


REOPENED = "reopened"
"""Why a run ended although its crawl continues: a view broke, and is reopened or rebuilt."""


RESERVED_FIELDS = frozenset({"sketch"})
"""Fields of `Finished` that later versions will use. They are always None, and come last."""

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
    | Extracted
)

Order = Blacklisted | HostOrder | RecrawlOrder | NewSeeds
"""A command of the operator to a crawl, which may be running."""


class OwnerMarker(Event, frozen=True, tag="owner"):
    """A node took over a partition of a cluster's log. The offset of this marker is the epoch of what it writes."""

    node: str
    at: float


PartitionEvent = AnyEvent | OwnerMarker


class DeepText(msgspec.Struct, frozen=True):
    """The result of the deep pass over one page (A5). `native.EXTRACTION_VERSION` is the version of its rules."""

    main_text: str
    markdown: str
    structured: str
    """Structured data, as a JSON object: json_ld, microdata, rdfa (lists), open_graph (an object)."""


PageOrder = Literal["key", "host", "day", "archive"]
"""In which order pages are read. `host` and `day` (of the last fetch) group pages, `archive` is the order of their
WARC records. Within a group, and by default, pages are in the order of their keys."""


class PageFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which rows of the catalog's pages to read. All conditions must hold. An empty tuple, an empty text and None are
    no condition; of several values of a tuple, one must match."""

    hosts: tuple[str, ...] = ()
    """Host names; `*.example.com` is every host below example.com, but not example.com itself."""
    pattern: str = ""
    """A regular expression (`url_pattern.py`) that matches anywhere in the URL."""
    since: float | None = None
    """Fetched last at this time or later."""
    until: float | None = None
    """Fetched last before this time."""
    statuses: tuple[tuple[int, int], ...] = ()
    """Ranges of the HTTP status, (first, last). One that includes 200 also selects a page with content whose last
    answer was a 304: that answer confirms the content."""
    languages: tuple[str, ...] = ()
    """Language tags: `en` also matches `en-GB`. Case is ignored."""
    states: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    """`page`, `sitemap`, `requisite`. Rows that are made for a user have no requisites unless they are asked for."""
    copies: bool = True
    """False: leaves out copies of other pages. `use/selected_pages.py` keeps those whose original is not selected."""
    noindex: bool = True
    """False: leaves out pages that ask not to be indexed (D4)."""
    purpose: str = ""
    """A use of `usage.py`: leaves out pages that their owners reserve for it (W3)."""

    @property
    def includes_confirmed(self) -> bool:
        """Whether pages with content that answered 304 count as answered with 200."""
        return any(first <= 200 <= last for first, last in self.statuses)


ALL_PAGES = PageFilter()
NO_REQUISITES = ("page", "sitemap")
"""The kinds of rows that a user gets who names no kind."""


class Frame(msgspec.Struct, frozen=True):
    """What one commit made durable: all of it, or none."""

    sequence: int
    at: float
    events: tuple[AnyEvent, ...]
    log: int = 0
    """The identity of its log; not stored in the frame. 0: unknown."""
    epoch: Epoch = NO_EPOCH
    partition: int = 0
    stamp: int = 0
    """In a log of several partitions: the number of this frame among all partitions. Otherwise 0."""

    @property
    def number(self) -> int:
        """Its place among the frames of all partitions. No other frame of the log has this number."""
        return self.stamp or self.sequence

    @property
    def position(self) -> Position:
        """Just after this frame."""
        return Position((0,) * self.partition + (self.sequence,))
