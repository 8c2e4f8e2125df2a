"""The native module as Python sees it; stubtest holds this file to the truth."""

from collections.abc import Callable, Sequence
from typing import Final, final

__all__ = [
    "DEBUG_BUILD",
    "EXTRACTION_VERSION",
    "TEXT_VERSION",
    "Attempt",
    "CheckedRuns",
    "DiscoveredUrl",
    "Discoveries",
    "Engine",
    "Extraction",
    "Fetched",
    "HostLimits",
    "Identity",
    "Link",
    "LinkBlocks",
    "LinkPolicy",
    "Listing",
    "MemoryTree",
    "NativeError",
    "Page",
    "PageLinks",
    "PanicException",
    "QueuedUrl",
    "Reader",
    "Rehearsal",
    "Resolved",
    "Robots",
    "SitemapEntry",
    "StoreHandle",
    "Url",
    "UrlStore",
    "WarcBlock",
    "WarcEntry",
    "WarcSettings",
    "__version__",
    "check_link_header",
    "check_url_store",
    "decode_discoveries",
    "decode_text",
    "give_large_blocks_back",
    "gzip_member",
    "host_hash",
    "link_block_bytes",
    "link_blocks",
    "link_header",
    "now",
    "partition_of",
    "partition_of_url",
    "read_attempts",
    "read_links",
    "read_sitemap",
    "registrable_domain",
    "warc_block",
    "warc_information",
    "warc_page",
    "warc_read",
    "warc_scan",
]

__version__: Final[str]
DEBUG_BUILD: Final[bool]

class NativeError(Exception):
    """Raised by everything here; the first argument is the message, `.kind` one of invalid, io, corrupt."""

    kind: str
    errno: int | None

class PanicException(BaseException):
    """A bug: native code met what it holds impossible. Nothing but the call is lost; the URL store tells of its own as damage."""

# ---- url ---------------------------------------------------------------------------------------

@final
class Identity:
    """URL identity with the switches of U2 and the version of their rules, frozen."""

    def __new__(
        cls,
        *,
        version: int = 2,
        sort_query: bool = True,
        drop_tracking: bool = True,
        drop_session: bool = True,
        drop_index: bool = False,
        drop_trailing_slash: bool = False,
        drop_www: bool = False,
    ) -> Identity: ...
    def parse(self, text: str, base: str | None = None) -> Url:
        """A Url, or NativeError(kind="invalid") whose message is the reason."""
    def batch(
        self, rows: Sequence[tuple[str, str | None]]
    ) -> list[tuple[str, str, str, None] | tuple[None, None, None, str]]:
        """(href, key_form, key in hex, None) or (None, None, None, reason) a row; never raises for content."""

@final
class Url:
    href: str
    key: bytes
    key_form: str
    scheme: str
    host: str
    port: int
    origin: str  # scheme://host[:port], what robots.txt belongs to
    path_and_query: str

def registrable_domain(host: str) -> str | None: ...
def partition_of(host: str, partitions: int) -> int:
    """The partition of a host: that of its registrable domain. Addresses and names without a suffix are their own
    domain."""

def partition_of_url(href: str, partitions: int) -> int:
    """That of its host."""

def host_hash(host: str) -> int:
    """What attempt records name a host by: the first 8 bytes of SHA-256 of the host, little endian."""

# ---- clock -------------------------------------------------------------------------------------

def now() -> float:
    """Seconds since the epoch: the wall clock when the process began, and what has passed since."""

# ---- memory ------------------------------------------------------------------------------------

def give_large_blocks_back() -> None:
    """Large blocks of memory go back to the system when they are freed, from now on and for the whole process."""

# ---- log ---------------------------------------------------------------------------------------

def gzip_member(data: bytes) -> bytes:
    """`data` as one gzip member, by the fastest level of libdeflate."""

# ---- scope -------------------------------------------------------------------------------------

@final
class LinkPolicy:
    """What may enter the frontier (D5). Asked per link, natively."""

    def __new__(
        cls,
        *,
        scope: str,  # host | domain | prefix | any
        include: Sequence[str] = ...,
        exclude: Sequence[str] = ...,
        skip_extensions: Sequence[str] = ...,
        max_url_length: int = 2000,
        max_segments: int = 15,
        max_repeats: int = 3,
        max_parameters: int = 20,
        max_years_ahead: int = 2,
        members_of: LinkPolicy | None = None,  # its scope has the same members from now on
    ) -> LinkPolicy: ...
    def extend(self, href: str) -> bool:
        """The URL's host, domain or prefix joins the scope (a seed, or where a seed's redirect led). True where its
        directory had not joined before."""
    def extend_lines(self, lines: str) -> str:
        """Extends the scope by hrefs, a line each. Returns those whose directory had not joined before."""
    def blacklist(self, domain: str) -> None: ...
    def lift(self, domain: str) -> None:
        """Takes a domain off the blacklist."""
    def judge(self, href: str, at: float | None = None, is_seed: bool = False) -> str | None:
        """None: admitted. Else a reason: scope, excluded, extension, too_long, too_many_segments,
        repeated_segments, too_many_parameters, future_date, blacklisted. `at` is when it was found; None: now.
        A seed need not match what is included."""
    def bans(self, href: str) -> bool:
        """Its host, or a domain above, is on the blacklist."""

# ---- robots ------------------------------------------------------------------------------------

@final
class Robots:
    """One parsed robots.txt (B1)."""

    def __new__(cls, body: bytes, agent: str) -> Robots: ...
    def allowed(self, path_and_query: str) -> tuple[bool, int, str]:
        """(allowed, line of the deciding rule or 0, the rule's text or "")."""
    crawl_delay: float | None
    memory: int  # bytes that it occupies, nearly
    sitemaps: list[str]

# ---- page --------------------------------------------------------------------------------------

@final
class Link:
    href: str
    key: bytes
    kind: str
    nofollow: bool
    rel: str  # of nofollow, ugc and sponsored those that it has, a blank between them
    anchor: str

@final
class Page:
    charset: str
    title: str
    description: str
    canonical: str | None
    language: str  # as declared
    language_detected: str  # ISO 639-1, of at most 1 KB of main text; "" where that is not sure. Found when asked for;
    # where no text is wanted, found at once if none is declared, else ""
    open_graph: list[tuple[str, str]]  # og:*, article:*, twitter:title, twitter:description, twitter:image
    headings: list[tuple[int, str]]  # level and text of h1 to h6; none unless text is wanted
    nofollow: bool
    noindex: bool
    noarchive: bool
    text: str
    main_text: str  # what the page is about, a line a block of text; "" unless text is wanted
    links: list[Link]
    links_found: int
    simhash: int | None  # 64 bits, of the main text, else of the text (X2); None where there are no words
    text_hash: bytes | None  # 16 bytes, of title and main text (F6); empty: it has none; None: the body is no text
    slow_road: bool

@final
class Reader:
    """How to read pages; one per crawl, shared by the engine's threads."""

    def __new__(
        cls,
        identity: Identity,
        *,
        agent_token: str,
        media: bool = False,
        scripts: bool = False,
        max_links: int = 327_680,
        max_text: int = 1_000_000,
        want_text: bool = True,
        store: StoreHandle | None = None,  # what it knows of the links is read ahead, on the thread that reads the page
    ) -> Reader: ...
    def read(
        self, body: bytes, *, url: str, content_type: str = "", headers: Sequence[tuple[str, str]] = ...
    ) -> Page: ...
    def read_archived(self, head: bytes, body: bytes, *, url: str) -> Page:
        """Of a record of the archive: its HTTP head as it came, its body decoded."""

@final
class Extraction:
    """The deep pass over one page (A5), made on demand."""

    main_text: str  # what the page is about, a line a block, without its title
    markdown: str  # the same with headings, lists, tables, code and links
    structured_data: str  # a JSON object: json_ld, microdata, rdfa (lists), open_graph (an object)

    def __new__(
        cls,
        reader: Reader,
        body: bytes,
        *,
        url: str,
        content_type: str = "",
        headers: Sequence[tuple[str, str]] = ...,
    ) -> Extraction: ...

EXTRACTION_VERSION: int  # of how an Extraction is made: one that was kept by another version is out of date

TEXT_VERSION: int  # of how text is taken out of a page: `simhash` and `text_hash` of two versions cannot be compared

# ---- links -------------------------------------------------------------------------------------

@final
class LinkBlocks:
    """Blocks of a link segment, and (offset, index) of each page in them."""

    data: bytes
    places: list[tuple[int, int]]

@final
class PageLinks:
    key: bytes
    href: str
    nofollow: bool  # of the whole page (D4)
    count: int
    left_out: int  # links that are not kept: they were too long together
    has_same_keys: bool  # False: the keys are not those that the page was read with; the identity is another
    links: list[Link]

def link_header() -> bytes:
    """What a link segment begins with."""

def check_link_header(data: bytes) -> None:
    """NativeError (corrupt): it is no link segment, or of a format that is not known here."""

def link_blocks(pages: Sequence[tuple[bytes, str, Page | PageLinks]], base_offset: int) -> LinkBlocks:
    """Of pages: key, href, what was read of them, now or earlier. The first block starts at `base_offset` of its file."""

def link_block_bytes(head: bytes) -> int:
    """How long the block is that begins with these 8 bytes."""

def read_links(block: bytes, identity: Identity) -> list[PageLinks]:
    """Its pages, in order. `block` may be longer than the block is. NativeError (corrupt): it is damaged."""

# ---- text --------------------------------------------------------------------------------------

def decode_text(body: bytes, charset: str) -> str | None:
    """The text of a body, without byte order mark; None where that is no encoding of the web."""

@final
class Listing:
    """What a sitemap lists that was read again from the archive: see UrlStore.admit_archived_listing."""

@final
class SitemapEntry:
    href: str
    key: bytes
    last_modified: str
    change_frequency: str
    priority: float | None
    is_sitemap: bool  # a child of an index file
    is_news: bool  # an article of a news sitemap

def read_sitemap(body: bytes, url: str, identity: Identity) -> tuple[list[SitemapEntry], int]:
    """Entries (urlset, sitemapindex, text, RSS/Atom, gzipped or not) and how many were cut."""

# ---- engine ------------------------------------------------------------------------------------

@final
class Fetched:
    """A finished fetch. The body stays native."""

    ticket: int
    key: bytes
    href: str
    kind: str  # page | robots | sitemap
    address: str | None  # "127.0.0.1:80", the one connected to
    started_at: float
    ended_at: float
    failure: str | None  # a cause of the failure table
    detail: str
    status: int | None
    is_redirect: bool  # a status that redirects, and somewhere to go
    def location(self, identity: Identity) -> Url | str | None:
        """Where it leads, or the reason why that is no URL of ours; None where the answer names nothing."""
    retry_after: float | None  # seconds from the end of this answer; None where it said nothing readable
    max_age: float | None  # seconds, of Cache-Control
    http_date: str  # the server's clock, "Sun, 06 Nov 1994 08:49:37 GMT"; "" where it said nothing readable
    etag: bytes  # as it came; empty where there is none that can be sent back
    last_modified: bytes  # likewise
    content_type: str
    truncated: bool
    wire_bytes: int
    decoded_length: int
    content_hash: bytes | None
    page: Page | None
    is_sitemap: bool  # a sitemap or feed that was read as one: see UrlStore.admit_listed
    entries: int  # of a sitemap or feed
    links_cut: int  # links of a page, or entries of a sitemap, behind the cap on their number
    robots_txt: bytes | None  # of a robots.txt: for the log and for Robots, which alone reads it

@final
class Resolved:
    ticket: int
    host: str
    addresses: list[str]  # "ip:port", port of an override or 0
    expires_at: float
    failure: str | None  # dns_nxdomain | dns_failure | address_refused
    detail: str

@final
class Engine:
    """Fetches on native threads. `notify` is called from one of them, without arguments, when
    there is something to collect and the last notification has been answered by collect()."""

    def __new__(
        cls,
        reader: Reader,
        notify: Callable[[], object],
        *,
        user_agent: str,
        headers: Sequence[tuple[str, str, str]] = ...,  # (host pattern, name, value)
        proxies: Sequence[tuple[str, str]] = ...,  # ([scheme://]host pattern, http://host:port)
        sources: Sequence[tuple[str, str]] = ...,  # ([scheme://]host pattern, address[,address])
        overrides: Sequence[tuple[str, str]] = ...,  # ("*.test", "127.0.0.1:8080")
        resolvers: Sequence[str] = ...,  # "ip:port"; empty: those of the system
        allow_private: Sequence[str] = ...,  # addresses or networks; "*" for all
        ca_file: str | None = None,
        verify_tls: bool = True,
        connect_timeout: float = 10.0,
        read_timeout: float = 30.0,
        total_timeout: float = 60.0,
        page_cap: int = 10 * 1024 * 1024,
        sitemap_cap: int = 50_000_000,
        robots_cap: int = 500 * 1024,
        header_cap: int = 64 * 1024,
        body_budget: int = 128 * 1024 * 1024,
        idle_connections: int = 1024,
        content_types: Sequence[str] = ...,  # MIME essences whose bodies are read; empty: all
        address_gap: float = 0.0,  # seconds at least between two requests to an address; 0: none
        attempts_file: str | None = None,
        spill_directory: str | None = None,
        threads: int = 0,  # 0: cores
    ) -> Engine: ...
    def resolve(self, requests: Sequence[tuple[int, str]]) -> None:
        """(ticket, host); answered by a Resolved."""
    def submit(
        self,
        requests: Sequence[tuple[int, bytes, str, str, str, Sequence[tuple[str, bytes]]]],
        within: float | None = None,
    ) -> None:
        """(ticket, key, href, address "ip:port" with port 0 for the URL's own, kind, extra headers); each is answered
        by a Fetched, also one that cannot be sent. `kind` is page, sitemap, robots, or seed: a page that may be a
        sitemap or a feed. A header whose value cannot be sent is left out. `within`: the seconds that
        are left of the total time-out; None: all of it."""
    def cancel(
        self, requests: Sequence[tuple[int, bytes, str, str, str, Sequence[tuple[str, bytes]]]], cause: str
    ) -> None:
        """Each comes back as failed with this cause (`lease_ended` or `cancelled`) when its connection is closed and the
        end of its attempt is written; or with the answer that was on its way. One that nothing is known of comes back
        at once."""
    def cancel_look_ups(self, requests: Sequence[tuple[int, str]]) -> None:
        """Each comes back as failed, with `lease_ended`."""
    def collect(self) -> list[Fetched | Resolved]: ...
    def close(self) -> None: ...
    def spent(self) -> list[tuple[str, float]]:
        """Seconds of CPU that went into decode, hash and analyse since this was first asked."""
    in_flight: int
    bodies_in_memory: int
    connections_opened: int

@final
class Rehearsal:
    """Fetches that never were on a wire, for simulations: bytes are taken for an answer and understood as the
    engine understands its own."""

    def __new__(cls, reader: Reader, *, user_agent: str, content_types: Sequence[str] = ...) -> Rehearsal: ...
    def play(
        self,
        request: tuple[int, bytes, str, str, str, Sequence[tuple[str, bytes]]],  # as the engine takes it
        *,
        started_at: float,
        ended_at: float,
        head: bytes,  # of the answer; empty where none came
        body: bytes,
        failure: tuple[str, str] | None = None,  # a cause of the failure table and its detail
    ) -> Fetched: ...

@final
class Attempt:
    """A record of what was sent: at the send (ended False) and at its end."""

    ended: bool
    sent: bool  # False: no connection came about, so no byte of the request was sent
    at: float
    key: bytes
    host_hash: int
    address: str
    kind: str
    status: int  # 0 at the start or where there was none

def read_attempts(data: bytes) -> tuple[list[Attempt], int]:
    """The records and how many bytes hold whole ones (a torn tail is not read)."""

# ---- url store ---------------------------------------------------------------------------------

@final
class Discoveries:
    """URLs that nobody knew, as they go into the log. `data` is the log's own format."""

    data: bytes
    count: int
    refused: list[tuple[str, bytes, str]]  # (href, key, reason): known from now on, never queued
    closer: bytes  # known URLs that were found on a shorter path, in the same format
    closer_count: int
    known: int
    outside: int  # out of scope or excluded: counted, not kept
    out_of_scope: int  # how many a larger scope may have
    counted: list[tuple[str, str, int]]  # (host, reason, how many): refused, not kept one by one
    parts: list[tuple[int, Discoveries]]  # by partition, of one that was merged; empty otherwise
    blobs: list[bytes]  # `data` and `closer`, those of its parts, too

    @staticmethod
    def merged(parts: list[tuple[int, Discoveries]]) -> Discoveries:
        """The admissions of several partitions as one. `data` and `closer` lie in its parts: to ask for its own is an
        error."""

@final
class DiscoveredUrl:
    href: str
    key: bytes
    priority: float
    depth: int
    hops: int
    via: str  # seed | link | redirect | sitemap | robots
    kind: str  # page | sitemap
    source: bytes | None
    discovered_at: float
    deferred: bool
    foreign: bool  # found on another host first

def decode_discoveries(data: bytes) -> list[DiscoveredUrl]: ...

@final
class QueuedUrl:
    href: str
    key: bytes
    priority: float
    depth: int
    hops: int
    via: str
    kind: str
    source: bytes | None
    discovered_at: float
    deferred: bool
    foreign: bool  # found on another host first
    is_seed: bool  # a seed, or where a seed's redirects led
    def renamed(self, href: str) -> QueuedUrl:
        """The same URL under another href, one hop further."""

@final
class MemoryTree:
    """What a store can lie in instead of a directory: it outlives the store, as files do, but not the process."""

    def __new__(cls) -> MemoryTree: ...
    unsynced: int
    """Batches that a kill may take."""
    def lose(self, kept: int) -> None:
        """Of those only the first `kept` survive. No store may be at work on it."""

@final
class HostLimits:
    """What a run allows hosts and domains to bring (F6, D5)."""

    def __new__(
        cls,
        *,
        urls_per_shape: int,
        new_per_minute: int,
        pages_per_host: int,
        stale_fetches: int,
        hosts_per_domain: int,
        sitemaps_per_host: int,
        foreign_sitemaps_per_host: int,
        kept_refusals: int,
    ) -> HostLimits: ...

@final
class UrlStore:
    """Seen and queued URLs: a view of the log (U4, F1). All methods release the GIL.

    The directory ":memory:" is none: the store dies with its object. `memory` bounds the tree's block
    cache and memtables. A depth limit of None is no limit, wherever one is asked for."""

    def __new__(
        cls,
        directory: str | MemoryTree,
        *,
        capacity: int = 10_000_000,
        cached_keys: int = 1_000_000,
        memory: int = 268_435_456,
        limits: HostLimits | None = None,  # None: none; what is counted does not depend on them
        share: tuple[int, int] | None = None,  # (partition, of how many): URLs of others are passed over
    ) -> UrlStore: ...
    applied: int
    """Sequence of the last frame applied; 0 for a new store."""
    sequences: tuple[int, ...]
    """The same for each partition up to the store's own: those before it are 0."""
    def admit_links(
        self,
        fetched: Fetched,
        policy: LinkPolicy,
        *,
        depth: int,
        priority: float,
        discovered_at: float,
        max_depth: int | None,
        follow_nofollow: bool = False,
        skip: int = 0,
        most: int = ...,
        priorities: bytes | Sequence[float] | None = None,
    ) -> Discoveries:
        """Admits the links of a page that nobody knew, at `depth`; they are parked above `max_depth`. Skips the first
        `skip` links, and looks at no more than `most`. New links are known from now on (the overlay), and queued once a
        frame with `data` is applied. Those that were known and deeper are in `closer`.

        `priorities`, here and below: one for each link of the page (entry of the sitemap, URL), of those that are
        skipped, too; as numbers, or as bytes in steps of 1/256. None: all have `priority`."""
    def admit_archived(
        self,
        page: Page,
        source: bytes,
        policy: LinkPolicy,
        *,
        depth: int,
        priority: float,
        discovered_at: float,
        max_depth: int | None,
        known_only: bool,
        found_on: str | None = None,
        follow_nofollow: bool = False,
        priorities: bytes | Sequence[float] | None = None,
    ) -> Discoveries:
        """The links of a page that was read again; with `known_only`, those that are known and deeper than `depth`, and
        no others."""
    def admit_archived_listing(
        self,
        listing: Listing,
        source: bytes,
        listed: str,  # pages | news
        policy: LinkPolicy,
        *,
        priority: float,
        discovered_at: float,
        max_depth: int | None,
        found_on: str,
        skip: int = 0,
        most: int = ...,
        priorities: bytes | Sequence[float] | None = None,
    ) -> Discoveries | None:
        """Likewise, the pages of a sitemap that was read again; None if it lists no more than the first `skip`."""
    def admit_listed(
        self,
        fetched: Fetched,
        listed: str,  # sitemaps | pages | news
        policy: LinkPolicy,
        *,
        depth: int,
        priority: float,
        discovered_at: float,
        max_depth: int | None,
        via: str,
        kind: str = "page",
        skip: int = 0,
        most: int = ...,
        priorities: bytes | Sequence[float] | None = None,
    ) -> Discoveries | None:
        """Likewise, what a sitemap or a feed lists: `most` entries after the first `skip`; None if there are none."""
    def admit(
        self,
        urls: Sequence[tuple[str, bytes]],  # (href, key)
        policy: LinkPolicy | None,
        *,
        depth: int,
        priority: float,
        discovered_at: float,
        max_depth: int | None,
        via: str,
        kind: str = "page",
        hops: int = 0,
        source: bytes | None = None,
        found_on: str | None = None,  # the host that names them; None: the operator, or their own
        is_seed: bool = False,
        known_only: bool = False,  # nothing new is admitted: only what is found closer counts
        priorities: bytes | Sequence[float] | None = None,
    ) -> Discoveries: ...
    def reprioritise(self, urls: Sequence[tuple[bytes, float]]) -> tuple[bytes, int]:
        """Gives queued URLs another priority: (key, priority) of each. Returns the data of a `Reprioritised` event, and of
        how many URLs it changes the class; it counts once a frame with it is applied. What has ended, is parked, or is
        deferred is left out. A URL that is handed out keeps its lease. Reads from disk: for threads that may wait."""
    def read_ahead(self, urls: Sequence[tuple[str, bytes]], found_on: str | None = None) -> None:
        """Reads from disk what `admit` will look up of these URLs: for threads that may wait, before the event loop
        admits them."""
    def expect(self, origin: int, *, max_depth: int | None = None) -> None:
        """The next URLs of an origin will be taken soon: a thread of the store reads them from disk. Returns at once;
        `take` asks for what comes next by itself."""
    def handle(self) -> StoreHandle:
        """For the `Reader` of the crawl."""
    def closest(self, url: QueuedUrl) -> QueuedUrl:
        """A URL that is handed out, with the depth and the source of the shortest path that is known by now."""
    def rereads(self, depth: int, most: int) -> list[tuple[int, bytes]]:
        """(depth, key) of pages that ended and were found closer since, at less than `depth`; the closest first. Their links
        are to be read again; `apply` is told when they were."""
    def apply(
        self,
        sequence: int,
        discoveries: Sequence[bytes],
        finished: Sequence[tuple[bytes, bytes | None]],  # (key, content hash to remember or None)
        # (key; href; novel | stale | unnamed, or why it was refused; hash of its text, where it is known; whether it
        # brought new links)
        visits: Sequence[tuple[bytes, str, str, bytes | None, bool]] = (),
        depths: Sequence[int] = (),  # of what finished; those left out are 0
        reread: Sequence[tuple[int, bytes]] = (),  # (depth, key) of pages whose links were read again
        reprioritised: Sequence[bytes] = (),  # as `reprioritise` made them
        partition: int = 0,  # that the frame is of: another than the store's own is refused
    ) -> list[tuple[int, int]]:
        """Applies one synced frame, atomically with its sequence; one that was applied before is skipped.
        Returns (origin number, best class) for each origin that had nothing to hand out and now has."""
    def forget_pending(self, discoveries: Sequence[bytes], refused: Sequence[tuple[str, bytes, str]] = ()) -> None:
        """Takes back what admit() marked as known (`data` and `refused` of `Discoveries`): the frame will never be written."""
    def state(self, key: bytes) -> str | None:
        """None: never seen. Else pending, queued, parked or finished."""
    def find(self, key: bytes) -> int | None:
        """The partition of a URL that was seen; None: it was not."""
    def same_content(self, content_hash: bytes, but_not: bytes) -> bytes | None:
        """The key of the first URL whose body had this hash, never `but_not` (X1). Records
        nothing; what `apply` is told, and `remember_content`, is remembered."""
    def remember_content(self, content_hash: bytes, key: bytes) -> None:
        """In the overlay, until the frame is applied."""
    def forget_content(self, content_hash: bytes, key: bytes) -> None:
        """Takes back remember_content(): the answer is lost. A body that belongs to another key stays."""
    def origins(self, max_depth: int | None = None) -> list[tuple[int, int]]:
        """Every origin with something to hand out, parked URLs counting down to `max_depth`:
        (number, best class). For the start."""
    def origin(self, number: int) -> str | None:
        """`https://example.com` of a number."""
    def number(self, origin: str) -> int | None: ...
    def take(self, origin: int, count: int, *, max_depth: int | None = None) -> list[QueuedUrl]:
        """The next URLs of an origin, best class first, every eighth from the lowest; each is handed out once
        until it is finished or given back. Fewer than `count`: there is no more until `apply` names the origin."""
    def take_url(self, key: bytes) -> QueuedUrl | None:
        """Hands out this URL, whatever waits before it. None: it does not wait (it has ended, is handed out, or is
        parked)."""
    def give_back(self, keys: Sequence[bytes]) -> None: ...
    def worth(self, href: str, key: bytes, *, foreign: bool = False) -> str | None:
        """Why a queued URL is not worth its request any more: no_novelty. None: it is (F6). One that was found on
        another host first is judged by what such URLs brought, unless its own host has named it since."""
    def is_foreign(self, key: bytes) -> bool:
        """Whether a known URL was found on other hosts alone; of one that was fetched, until it ended."""
    def is_wanted(self, host: str) -> bool:
        """Whether the operator named a URL of this host."""
    def facts(self, href: str) -> dict[str, int | str]:
        """What is counted of the URL's host and domain: shape, urls_of_shape, stale_fetches, foreign_stale_fetches,
        pages_of_host, sitemaps_of_host, found_in_minute, domain, hosts_of_domain."""
    def queued(self, origin: int) -> int:
        """URLs that wait or are handed out, without the parked ones."""
    def counts(self) -> dict[str, int]:
        """seen, queued, parked, finished, origins, bloom_bits, bloom_false_positives, bloom_tests, bytes_on_disk."""
    def flush(self) -> None:
        """What was applied survives a power cut from here on."""
    def belong_to(self, log: int) -> None:
        """Says of which log this is a view; raises `corrupt` where frames of another were applied."""
    def saved(self) -> int:
        """The frame up to which all is on disk."""
    def close(self) -> None:
        """Waits for what is going on; everything after it raises. Closing again does nothing. Raises where not
        all could be saved: it is closed then, too."""

@final
class StoreHandle:
    """The URL store as the engine's threads hold it. It does not keep a store open that is closed."""

@final
class CheckedRuns:
    runs: int
    blocks: int
    damages: list[tuple[str, str]]
    """(file, what is wrong with it): one for each file at most."""

def check_url_store(directory: str, progress: Callable[[int, int], object] | None = None) -> CheckedRuns:
    """Reads every block of every run of the URL store there, which nobody has open. `progress` is told of bytes read,
    of how many; what it raises ends the check."""

# ---- warc --------------------------------------------------------------------------------------

@final
class WarcSettings:
    def __new__(
        cls, *, software: str, operator: str = ..., robots_policy: str = ..., compression: int = 1
    ) -> WarcSettings: ...

@final
class WarcBlock:
    """Records ready to be appended to a file, and where each fetch will lie in it."""

    data: bytes
    positions: list[tuple[int, int]]  # (offset in the file, length) of the response or revisit record, a row a fetch
    dates: list[str]  # WARC dates of the fetches
    payload_digests: list[str]  # of what each response record keeps; empty for a revisit, which keeps nothing
    cdxj: list[str]  # its index line

@final
class WarcEntry:
    """A record as a scan found it."""

    offset: int
    length: int
    kind: str  # WARC-Type
    target: str  # WARC-Target-URI
    problem: str | None  # why it is not what was written
    cdxj: str | None  # its index line, for responses and revisits

def warc_information(settings: WarcSettings, file_name: str, written_at: float) -> bytes:
    """The record that opens a file."""

def warc_block(
    settings: WarcSettings,
    fetches: Sequence[tuple[Fetched, str | None, str | None, str | None, str, bool]],
    base_offset: int,
    file_name: str,
) -> WarcBlock:
    """(fetch; URL, WARC date and payload digest of what it may be a copy of, or None; metadata as
    application/warc-fields or ""; whether its body is kept) for each: response or revisit, request, metadata.

    A revisit is written for a 304, and where the payload digest equals that of the original (which is found by itself
    where it stands in the same block); equal text in other bytes (another content-coding) is kept whole. A fetch that
    was never answered is refused."""

def warc_scan(data: bytes, base_offset: int = 0, file_name: str = "") -> tuple[list[WarcEntry], int]:
    """The records in data, which lies at base_offset of that file, and how many bytes hold whole ones."""

def warc_page(
    reader: Reader,
    url: str,
    record: bytes,
    original: bytes | None = None,
    *,
    cap: int,
    listed_as: str | None = None,
) -> tuple[Page | Listing | None, str | None]:
    """A page, read again from its record; or the URL whose record has the body, to be given as `original`; or neither,
    where the body was not kept. `cap`: bytes of a page that are read. `listed_as`: the media type of what was fetched as
    a sitemap, or found to be one; what it lists, unless it is a page after all."""

def warc_read(data: bytes, *, cap: int) -> tuple[dict[str, str], bytes, bytes]:
    """One gzip member: (WARC headers in lower case, HTTP head, body decoded by its content-coding, at most
    `cap` bytes of it)."""
