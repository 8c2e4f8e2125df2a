"""The native module as Python sees it. stubtest checks this file against the module."""

from collections.abc import Callable, Sequence
from typing import Final, final

__all__ = [
    "DEBUG_BUILD",
    "EXTRACTION_VERSION",
    "TEXT_VERSION",
    "WORDS_VERSION",
    "Attempt",
    "CheckedRuns",
    "DiscoveredUrl",
    "Discoveries",
    "EdgeLog",
    "Engine",
    "Extraction",
    "Fetched",
    "FieldRules",
    "ForeignArchive",
    "ForeignRecord",
    "FoundFields",
    "HostLimits",
    "Identity",
    "Importer",
    "Link",
    "LinkBlocks",
    "LinkPolicy",
    "Listing",
    "MemoryTree",
    "NativeError",
    "NearIndex",
    "Page",
    "PageLinks",
    "PanicException",
    "QueuedUrl",
    "RankFactors",
    "Ranks",
    "Reader",
    "Rehearsal",
    "Resolved",
    "Robots",
    "SitemapEntry",
    "StoreHandle",
    "Tdmrep",
    "Url",
    "UrlStore",
    "WarcBlock",
    "WarcEntry",
    "WarcSettings",
    "__version__",
    "check_link_header",
    "check_url_store",
    "count_equal_bins",
    "decode_discoveries",
    "decode_text",
    "find_elements",
    "find_snippet",
    "find_targets",
    "give_large_blocks_back",
    "gzip_member",
    "host_hash",
    "link_block_bytes",
    "link_blocks",
    "link_header",
    "mark_computed",
    "may_connect",
    "now",
    "pack_text",
    "parse_headers",
    "partition_of",
    "partition_of_url",
    "read_attempts",
    "read_links",
    "read_sitemap",
    "registrable_domain",
    "rewrite_archived",
    "split_query_words",
    "split_words",
    "unpack_text",
    "warc_block",
    "warc_copy",
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
    """A bug: native code panicked. Only this call is lost. A panic of the URL store is reported as damage instead."""

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
        """Returns (href, key_form, key in hex, None) or (None, None, None, reason) for each row; never raises for content."""

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
    """The partition of its host."""

def host_hash(host: str) -> int:
    """Identifies a host in attempt records: the first 8 bytes of its SHA-256, little endian."""

# ---- clock -------------------------------------------------------------------------------------

def now() -> float:
    """Seconds since the epoch: the wall clock at the start of the process, plus the time since."""

# ---- memory ------------------------------------------------------------------------------------

def give_large_blocks_back() -> None:
    """Makes the allocator return large blocks to the system when they are freed, for the whole process."""

# ---- log ---------------------------------------------------------------------------------------

def gzip_member(data: bytes) -> bytes:
    """`data` as one gzip member, by the fastest level of libdeflate."""

# ---- scope -------------------------------------------------------------------------------------

@final
class LinkPolicy:
    """Decides which URLs may enter the frontier (D5)."""

    def __new__(
        cls,
        *,
        scope: str,  # host | domain | prefix | any
        include: Sequence[str] = ...,
        exclude: Sequence[str] = ...,
        skip_extensions: Sequence[str] = ...,
        requisites: bool = False,  # links with these extensions may be requisites, and are not stored as refused
        max_url_length: int = 2000,
        max_segments: int = 15,
        max_repeats: int = 3,
        max_parameters: int = 20,
        max_years_ahead: int = 2,
        members_of: LinkPolicy | None = None,  # shares its scope members
    ) -> LinkPolicy: ...
    def extend(self, href: str) -> bool:
        """Adds the URL's host, domain or prefix to the scope (of a seed, or the target of its redirect). Returns True if
        its directory is new there."""
    def extend_lines(self, lines: str) -> str:
        """Extends the scope by hrefs, one per line. Returns those whose directory is new there."""
    def blacklist(self, domain: str) -> None: ...
    def lift(self, domain: str) -> None:
        """Takes a domain off the blacklist."""
    def judge(self, href: str, at: float | None = None, is_seed: bool = False) -> str | None:
        """Returns None if admitted, otherwise a reason: scope, excluded, extension, too_long, too_many_segments,
        repeated_segments, too_many_parameters, future_date, blacklisted. `at` is when it was found; None: now.
        A seed need not match `include`."""
    def bans(self, href: str) -> bool:
        """Whether its host, or a parent domain, is on the blacklist."""

# ---- robots ------------------------------------------------------------------------------------

@final
class Robots:
    """One parsed robots.txt (B1)."""

    def __new__(cls, body: bytes, agent: str) -> Robots: ...
    def allowed(self, path_and_query: str) -> tuple[bool, int, str]:
        """(allowed, line of the deciding rule or 0, the rule's text or "")."""
    def usage(self, path_and_query: str) -> str | None:
        """Usage preferences for the path, one a line: see `usage.py`."""
    usage_lines: list[str]  # those lines of the file, as written
    crawl_delay: float | None
    memory: int  # approximate bytes
    sitemaps: list[str]

@final
class Tdmrep:
    """One parsed `/.well-known/tdmrep.json` (W1). A file that is none has no rules."""

    def __new__(cls, body: bytes) -> Tdmrep: ...
    def usage(self, path_and_query: str) -> str | None:
        """Usage preferences for the path, one a line: see `usage.py`."""
    lines: list[str]  # its rules, for people
    memory: int  # approximate bytes

# ---- page --------------------------------------------------------------------------------------

@final
class Link:
    href: str
    key: bytes
    kind: str
    nofollow: bool
    rel: str  # those of nofollow, ugc and sponsored that it has, separated by spaces
    anchor: str

@final
class Page:
    charset: str
    title: str
    description: str
    canonical: str | None
    language: str  # as declared
    language_detected: str  # ISO 639-1, from at most 1 KB of main text; "" if unsure. Detected when read;
    # without `want_text`, detected at once if none is declared, otherwise ""
    open_graph: list[tuple[str, str]]  # og:*, article:*, twitter:title, twitter:description, twitter:image
    headings: list[tuple[int, str]]  # level and text of h1 to h6; only with `want_text`
    nofollow: bool
    noindex: bool
    noarchive: bool
    usage: str | None  # usage preferences of headers and document, one a line: see `usage.py`
    text: str
    main_text: str  # one line per block of text; only with `want_text`
    content_text: str  # the text without navigation, sidebars and forms; only with `want_text`
    compared_text: str  # what `change_hash` is made of, one line per block; only with `want_text`
    links: list[Link]
    requisites: list[str]  # hrefs of what a browser fetches to show it; only with `requisites` (D7)
    links_found: int
    simhash: int | None  # 64 bits, of the main text, or of the text (X2); None without words
    sketch: bytes | None  # 76 bytes, of the main text (X2); None if it is too short to be compared
    change_hash: bytes | None  # 16 bytes, of the text without what changes by itself (R3); None: no such text
    text_hash: bytes | None  # 16 bytes, of title and main text (F6); empty: no text; None: the body is not text
    focus: float | None  # how well it fits the keywords, 0 to 1 (D6); None without keywords, or if it is not text
    link_focus: list[float] | None  # the same for the words of each of `links`: anchor and URL
    quality: float | None  # from text, markup, links and language, 0 to 1 (A4); None if the body is not text
    slow_road: bool  # whether a tree was needed to read it
    def count_unfollowed(self, following: tuple[float, float, float], *, follow_nofollow: bool) -> int:
        """How many links `admit_links` leaves out because of `following`."""

@final
class Reader:
    """Analyses pages. One per crawl, shared by the engine's threads."""

    def __new__(
        cls,
        identity: Identity,
        *,
        agent_token: str,
        media: bool = False,
        scripts: bool = False,
        requisites: bool = False,
        max_links: int = 327_680,
        max_text: int = 1_000_000,
        want_text: bool = True,
        store: StoreHandle | None = None,  # links are looked up in it ahead, on the thread that reads the page
        keywords: Sequence[tuple[str, float]] = (),  # words or phrases, and their weights: pages get a `focus`
    ) -> Reader: ...
    def read(
        self, body: bytes, *, url: str, content_type: str = "", headers: Sequence[tuple[str, str]] = ...
    ) -> Page: ...
    def read_archived(self, head: bytes, body: bytes, *, url: str) -> Page:
        """Reads a record of the archive: its HTTP head as received, its body decoded."""

@final
class Extraction:
    """The deep pass over one page (A5), on demand."""

    main_text: str  # one line per block, without the title
    markdown: str  # the same with headings, lists, tables, code and links
    structured_data: str  # a JSON object: json_ld, microdata, rdfa (lists), open_graph (an object), left_out (a count)

    def __new__(
        cls,
        reader: Reader,
        body: bytes,
        *,
        url: str,
        content_type: str = "",
        headers: Sequence[tuple[str, str]] = ...,
    ) -> Extraction: ...

@final
class FieldRules:
    """Rules that read fields of pages (O1). Raises NativeError for a rule that is wrong, with the name of its field."""

    def __new__(
        cls,
        # (name, css, json_ld, regex, attribute, html, all, type, of the page, required)
        fields: Sequence[tuple[str, str | None, str | None, str | None, str | None, bool, bool, str, bool, bool]],
        *,
        items_css: str | None = None,
        items_json_ld: str | None = None,
    ) -> FieldRules: ...
    def apply(
        self,
        reader: Reader,
        body: bytes,
        *,
        url: str,
        content_type: str = "",
        headers: Sequence[tuple[str, str]] = ...,
    ) -> FoundFields:
        """Any bytes give a result, in bounded time and memory."""

@final
class FoundFields:
    """What rules find on one page."""

    rows: list[list[str | int | float | bool | list[str | int | float] | None]]  # a value for each field
    items: int
    left_out: int  # items without a value, or without that of a required field
    matches: list[tuple[int, str | None, str | None]]  # of each field: how many, the first, the first not converted
    is_costly: bool  # the page is too expensive for the rules, and has no rows

def find_elements(
    selector: str,
    reader: Reader,
    body: bytes,
    *,
    url: str,
    content_type: str = "",
    headers: Sequence[tuple[str, str]] = ...,
) -> list[tuple[str, str, str, list[tuple[str, str]]]] | None:
    """The elements of a page by a CSS selector: name, text, markup, attributes. None if the page is too expensive;
    empty if it is not HTML."""

EXTRACTION_VERSION: int  # version of its rules: results of another version are out of date

TEXT_VERSION: int  # version of text extraction: `simhash` and `text_hash` of two versions cannot be compared

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
    left_out: int  # links that are not stored: they were too long in total
    has_same_keys: bool  # False: the keys differ from those of the first reading: another identity
    links: list[Link]

    def has_link_to(self, key: bytes) -> bool: ...

def link_header() -> bytes:
    """The first bytes of a link segment."""

def check_link_header(data: bytes) -> None:
    """Raises NativeError (corrupt) if it is not a link segment, or of an unknown format."""

def link_blocks(pages: Sequence[tuple[bytes, str, Page | PageLinks]], base_offset: int) -> LinkBlocks:
    """Packs the links of pages: (key, href, the page). The first block will start at `base_offset` of its file."""

def link_block_bytes(head: bytes) -> int:
    """The length of the block that begins with these 8 bytes."""

def read_links(block: bytes, identity: Identity) -> list[PageLinks]:
    """Returns its pages, in order. `block` may have extra bytes at its end. Raises NativeError (corrupt) on damage."""

# ---- text --------------------------------------------------------------------------------------

def decode_text(body: bytes, charset: str) -> str | None:
    """The text of a body, without byte order mark; None for an unknown encoding."""

@final
class EdgeLog:
    """The links of pages, as the edges of a graph: in memory, and in an unnamed file of the directory. From any thread;
    pages may be added while ranks are computed, and are in the next ranks. Links of a page to itself do not count, nor
    do those that are not followed (D4) or lead to no page. The links of a page that is added twice are put together."""

    def __new__(cls, directory: str, *, follow_nofollow: bool = False) -> EdgeLog: ...
    pages: int
    edges: int
    def add_fetched(self, fetched: Fetched) -> None: ...
    def add_block(self, block: bytes, indexes: Sequence[int], identity: Identity) -> int:
        """Pages of a block of a link segment. Returns how many there were."""
    def add_redirect(self, key: bytes, href: str, target: bytes, to: str) -> None: ...
    def add_edges(self, pairs: bytes) -> None:
        """Edges between pages whose hosts are unknown: the keys of source and target, 32 bytes for each."""
    def stop(self) -> None:
        """Ends a computation on another thread, with NativeError."""
    def compute(
        self,
        to: str | None = None,  # the file that gets the ranks; None: they are for this process only
        *,
        note: bytes | None = None,
        memory: int = 268_435_456,
        tolerance: float = 1e-9,
        top: int = 1000,
        damping: float = 0.85,
        progress: Callable[[str, float], object] | None = None,
    ) -> Ranks:
        """The PageRank of all pages and hosts. It ends when they change by less than `tolerance` in sum. `progress` is
        called with what is being done, and how much of it is done, from 0 to 1; its exception ends the computation, and
        so does a signal. The file is replaced when the new one is complete and synced."""

@final
class Ranks:
    """The ranks of pages and hosts. A rank is returned as (rank, percentile): the percentile is the share of pages
    below, and half of those that are equal."""

    @staticmethod
    def open(path: str) -> Ranks:
        """Raises NativeError of the kind `corrupt` if the file is damaged, or `io` if it cannot be read."""
    note: bytes
    page_facts: tuple[int, int, int, float]
    """Pages, links, iterations, and how much the last iteration changed in sum."""
    host_facts: tuple[int, int, int, float]
    def page(self, key: bytes) -> tuple[float, float] | None: ...
    def host(self, name: str) -> tuple[float, float] | None: ...
    def top_pages(self, most: int) -> list[tuple[bytes, float, float]]:
        """(key, rank, percentile)"""
    def top_hosts(self, most: int) -> list[tuple[str, float, float]]: ...

@final
class RankFactors:
    """Rates URLs by ranks (F2). `rest`: what the factors give that are the same for all URLs that were never fetched."""

    def __new__(
        cls,
        ranks: Ranks,
        *,
        page_rank: float,
        host_authority: float,
        depth: float,
        rest: float,
        sitemap_bonus: float,
        news_bonus: float,
    ) -> RankFactors: ...
    def rate_links(self, fetched: Fetched, depth: int) -> tuple[float, bytes | None] | None:
        """The priority of the new links of a page, and, if hosts differ, that of each link for `admit_links`. None if
        it is no page."""
    def rate(self, host: str, depth: int, *, from_sitemap: bool = False, is_news: bool = False) -> float: ...

def mark_computed(priority: float, *, is_news: bool = False) -> float:
    """The priority, changed by less than 1/256, so that it tells that it was computed and may be changed."""

def find_targets(block: bytes, keys: Sequence[bytes], identity: Identity) -> list[tuple[bytes, str]]:
    """(key, href) for each of the keys to which a page of the block links."""

def pack_text(data: bytes) -> bytes:
    """Compresses the bytes of a text for a cache."""

def unpack_text(data: bytes, most: int) -> bytes | None:
    """None if it is damaged, or longer than `most` bytes."""

def split_words(text: str) -> str:
    """The words of a text as the search index has them (S7): folded, separated by spaces."""

def split_query_words(text: str) -> tuple[list[str], bool]:
    """The words that a text must have next to each other to contain this one; whether the last may go on."""

def find_snippet(
    text: str, wanted: Sequence[tuple[Sequence[str], bool]], length: int
) -> tuple[str, list[tuple[int, int]], bool]:
    """About `length` bytes of a text that show best where the wanted words are; (start, end) of these, in characters;
    whether there are any."""

WORDS_VERSION: int  # version of these rules: an index of another version is rebuilt

def parse_headers(head: bytes) -> list[tuple[str, str]]:
    """The headers of an HTTP response head, in order: names in lower case, values as Latin-1. Empty if it has no status
    line."""

@final
class Listing:
    """The URLs of a sitemap that was read again from the archive: see UrlStore.admit_archived_listing."""

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
    """Returns the listed URLs (urlset, sitemapindex, text, RSS/Atom, gzipped or not), and how many were above the cap."""

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
    imported: str | None  # the archive of others that it comes from; None if it was requested
    status: int | None
    is_redirect: bool  # a redirect status with a target
    def location(self, identity: Identity) -> Url | str | None:
        """The target of a redirect, or the reason why it is not a valid URL; None if the answer names none."""
    retry_after: float | None  # seconds from the end of this answer; None if missing or invalid
    max_age: float | None  # seconds, of Cache-Control
    http_date: str  # the server's clock, "Sun, 06 Nov 1994 08:49:37 GMT"; "" if missing or invalid
    etag: bytes  # as received; empty if missing or impossible to send back
    last_modified: bytes  # likewise
    content_type: str
    truncated: bool
    wire_bytes: int
    decoded_length: int
    content_hash: bytes | None
    page: Page | None
    usage: str | None  # that of `page`, or that of the headers if there is no page
    is_sitemap: bool  # a sitemap or feed that was read as one: see UrlStore.admit_listed
    entries: int  # of a sitemap or feed
    def list_modified(self, after: str) -> list[tuple[bytes, str]]:
        """(key, time) of the pages that a sitemap or feed lists as modified after a time. Both are like
        2005-01-01T00:00:00Z."""
    links_cut: int  # links of a page, or listed URLs of a sitemap, above the cap
    robots_txt: bytes | None  # of a robots.txt: for the log, and for Robots, which parses it
    head: bytes  # of the answer, as received; empty without one
    def decode_body(self, cap: int) -> bytes | None:
        """The decoded body, at most `cap` bytes; None without an answer. Decoded again each time: only hooks ask."""

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
    """Fetches on native threads. One of them calls `notify()` when there is something to collect, and not again before
    collect()."""

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
        """(ticket, host); each results in a Resolved."""
    def submit(
        self,
        requests: Sequence[tuple[int, bytes, str, str, str, Sequence[tuple[str, bytes]]]],
        within: float | None = None,
    ) -> None:
        """(ticket, key, href, address "ip:port" with port 0 for the URL's own, kind, extra headers); each results in
        a Fetched, even if it cannot be sent. `kind` is page, sitemap, robots, or seed: a page that may be a
        sitemap or a feed. A header whose value cannot be sent is left out. `within`: the seconds that
        are left of the total time-out; None: all of it."""
    def cancel(
        self, requests: Sequence[tuple[int, bytes, str, str, str, Sequence[tuple[str, bytes]]]], cause: str
    ) -> None:
        """Each comes back as failed with this cause (`lease_ended` or `cancelled`) once its connection is closed and the
        end of its attempt is written; or with its answer, if that has just arrived. An unknown request comes back at
        once."""
    def cancel_look_ups(self, requests: Sequence[tuple[int, str]]) -> None:
        """Each comes back as failed, with `lease_ended`."""
    def collect(self) -> list[Fetched | Resolved]: ...
    def close(self) -> None: ...
    def spent(self) -> list[tuple[str, float]]:
        """Seconds of CPU spent in decode, hash and analyse since the first call."""
    in_flight: int
    bodies_in_memory: int
    connections_opened: int

def may_connect(address: str, allow_private: Sequence[str]) -> bool:
    """Whether an address leads to the public Internet only (N2), or is allowed: addresses or networks, "*" for all."""

@final
class Rehearsal:
    """Fetches without a network, for simulations: processes given bytes as the engine processes an answer."""

    def __new__(cls, reader: Reader, *, user_agent: str, content_types: Sequence[str] = ...) -> Rehearsal: ...
    def play(
        self,
        request: tuple[int, bytes, str, str, str, Sequence[tuple[str, bytes]]],  # as the engine takes it
        *,
        started_at: float,
        ended_at: float,
        head: bytes,  # of the answer; empty if there was none
        body: bytes,
        failure: tuple[str, str] | None = None,  # a cause of the failure table and its detail
    ) -> Fetched: ...

@final
class ForeignArchive:
    """An archive that others made (S11): plain, or gzip by record, or gzip as a whole."""

    progress: tuple[int, int]  # bytes read, and bytes in all

    def __new__(cls, path: str, *, cap: int) -> ForeignArchive: ...  # cap: bytes of a block that are read
    def read(self) -> ForeignRecord | None:
        """The next record, or the damage at its place; None at the end."""

@final
class ForeignRecord:
    offset: int
    problem: str | None  # why it cannot be read
    kind: str  # WARC-Type
    target: str
    date: float | None
    is_http: bool
    refers_to: str  # the URL that a revisit refers to; "" if none is named
    size: int

@final
class Importer:
    """Processes records as the engine processes answers (S11). Nothing is sent."""

    def __new__(
        cls,
        reader: Reader,
        *,
        content_types: Sequence[str],
        page_cap: int,
        sitemap_cap: int,
        robots_cap: int,
        body_budget: int,
    ) -> Importer: ...
    def process(
        self,
        record: ForeignRecord,
        *,
        key: bytes,
        href: str,
        kind: str,  # page | robots
        at: float,
        file: str,
        original: bytes | None = None,  # the record of our archive that has the body of a revisit
    ) -> Fetched: ...

@final
class Attempt:
    """A record of a request: one is written when it is sent (`ended` is False), another when it ends."""

    ended: bool
    sent: bool  # False: no connection was made, so no byte of the request was sent
    at: float
    key: bytes
    host_hash: int
    address: str
    kind: str
    status: int  # 0 when sent, or without an answer

def read_attempts(data: bytes) -> tuple[list[Attempt], int]:
    """Returns the records, and how many bytes they take (an incomplete last record is not read)."""

# ---- url store ---------------------------------------------------------------------------------

@final
class Discoveries:
    """New URLs, for the log. `data` is in the log's own format."""

    data: bytes
    count: int
    refused: list[tuple[str, bytes, str]]  # (href, key, reason): known from now on, never queued
    closer: bytes  # known URLs with a shorter path, in the same format
    closer_count: int
    known: int
    outside: int  # out of scope or excluded: counted, not stored
    out_of_scope: int  # how many of them a larger scope might contain
    counted: list[tuple[str, str, int]]  # (host, reason, how many): refused, not stored one by one
    parts: list[tuple[int, Discoveries]]  # by partition, if this was merged; otherwise empty
    blobs: list[bytes]  # `data` and `closer`, including those of `parts`

    @staticmethod
    def merged(parts: list[tuple[int, Discoveries]]) -> Discoveries:
        """The admissions of several partitions as one. `data` and `closer` are in its parts; reading its own raises."""

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

def count_equal_bins(one: bytes, other: bytes) -> int:
    """Of the 64 bins of two sketches."""

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
    @staticmethod
    def imported(href: str, key: bytes, *, discovered_at: float, is_known: bool) -> QueuedUrl:
        """A page of an archive, at depth 0. `is_known`: it has ended before."""

    def renamed(self, href: str) -> QueuedUrl:
        """The same URL under another href, one hop further."""

@final
class MemoryTree:
    """Holds a store in memory instead of a directory. It outlives the store object, but not the process."""

    def __new__(cls) -> MemoryTree: ...
    unsynced: int
    """Batches that a kill may lose."""
    def lose(self, kept: int) -> None:
        """Loses all unsynced batches but the first `kept`. No store may be using it."""

@final
class NearIndex:
    """Which pages say nearly the same (X2, X4): a view of the log. `find` does not wait for `apply`. All methods that
    read or write files release the GIL."""

    def __new__(cls, directory: str | None = None, *, least: int) -> NearIndex:
        """None: in memory, as long as the object. `least`: of 64 bins, how many near copies share."""

    log: int  # identity of the log that was applied; 0: none was
    sequences: list[int]  # the sequence of the last applied frame, by partition
    pages: int
    sizes: tuple[int, int]  # bytes of memory, and on disk without sketches
    def find(self, key: bytes, sketch: bytes) -> tuple[bool, bytes | None, int]:
        """Whether the page is like no other; the key of the page of which it is a near copy, and how many bins they
        share. (False, None, 0): an earlier visit of the page itself is in the index."""

    def remember(self, key: bytes, sketch: bytes) -> None: ...
    def forget(self, key: bytes) -> None: ...
    def forget_all(self) -> None: ...
    def apply(self, log: int, partition: int, sequence: int, pages: Sequence[tuple[bytes, bytes]]) -> None:
        """A frame that was applied before changes nothing."""

    def damages(self) -> list[str]:
        """Reads every table."""

    def close(self) -> None: ...

@final
class HostLimits:
    """Limits for hosts and domains (F6, D5)."""

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

    With the directory ":memory:" the store lives as long as its object. `memory` bounds the tree's block cache and
    memtables. A depth limit of None means no limit."""

    def __new__(
        cls,
        directory: str | MemoryTree,
        *,
        capacity: int = 10_000_000,
        cached_keys: int = 1_000_000,
        memory: int = 268_435_456,
        limits: HostLimits | None = None,  # None: no limits; counts do not depend on them
        share: tuple[int, int] | None = None,  # (partition, number of partitions): URLs of others are skipped
    ) -> UrlStore: ...
    applied: int
    """Sequence of the last applied frame; 0 for a new store."""
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
        following: tuple[float, float, float] | None = None,
    ) -> Discoveries:
        """Admits the new links of a page, at `depth`; above `max_depth` they are parked. Skips the first `skip` links, and
        reads no more than `most`. New links are known from now on (in the overlay), and queued once a frame with `data`
        is applied. Known links that were deeper are in `closer`.

        `priorities`, here and below: one for each link of the page (or listed URL), including skipped ones; as numbers,
        or, if they are computed, as bytes in steps of 1/256. None: all have `priority`.

        `following`: score of the page, share of scores in priorities, threshold (D6). A link is left out if both the
        page and its own words score less than the threshold."""
    def admit_requisites(
        self,
        fetched: Fetched,
        policy: LinkPolicy,
        *,
        depth: int,
        priority: float,
        discovered_at: float,
        hops: int = 0,
    ) -> Discoveries:
        """Admits what a page, a style sheet or a script needs. `hops`: style sheets, scripts and redirects on the way."""
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
        following: tuple[float, float, float] | None = None,
    ) -> Discoveries:
        """Admits the links of a page that was read again; with `known_only`, only known ones that are deeper than
        `depth`."""
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
        """Admits the pages of a sitemap that was read again; None if it lists no more than `skip`."""
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
        """Admits the URLs that a sitemap or feed lists: `most` of them after the first `skip`; None if there are none."""
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
        found_on: str | None = None,  # the host that links to them; None: the operator, or their own host
        is_seed: bool = False,
        known_only: bool = False,  # admits nothing new, only finds known URLs closer
        priorities: bytes | Sequence[float] | None = None,
    ) -> Discoveries: ...
    def reprioritise(self, urls: Sequence[tuple[bytes, float]]) -> tuple[bytes, int]:
        """Gives queued URLs, as (key, priority), another priority. Returns the data of a `Reprioritised` event, and how
        many URLs change their class; applying a frame with that event makes it effective. URLs that have ended, are
        parked or deferred are skipped. A URL that is handed out keeps its lease. Reads from disk: call it on a thread
        that may wait."""
    def rerank(
        self,
        factors: RankFactors,
        cursor: tuple[int, int, int] = (0, 0, 0),
        most: int = 10_000,
    ) -> tuple[bytes, int, tuple[int, int, int] | None]:
        """Finds queued URLs whose class changes with their rank (F2). Looks at about `most` of them from a cursor on.
        Returns what `reprioritise` returns, and the cursor for the next call; None at the end of the queues. Priorities
        that were given are not changed. Reads from disk: call it on a thread that may wait."""
    def read_ahead(self, urls: Sequence[tuple[str, bytes]], found_on: str | None = None) -> None:
        """Reads from disk what `admit` will look up for these URLs. Call it on a thread that may wait, before the event
        loop admits them."""
    def expect(self, origin: int, *, max_depth: int | None = None) -> None:
        """Announces that the next URLs of an origin will be taken soon: a thread of the store reads them from disk.
        Returns at once. `take` announces the following ones itself."""
    def handle(self) -> StoreHandle:
        """For the `Reader` of the crawl."""
    def closest(self, url: QueuedUrl) -> QueuedUrl:
        """Returns a URL that is handed out with the depth and source of the shortest path known by now."""
    def rereads(self, depth: int, most: int) -> list[tuple[int, bytes]]:
        """(depth, key) of ended pages that were found closer since, at less than `depth`, closest first. Their links must
        be read again; the `reread` argument of `apply` reports that they were."""
    def apply(
        self,
        sequence: int,
        discoveries: Sequence[bytes],
        finished: Sequence[tuple[bytes, bytes | None]],  # (key, content hash to remember or None)
        # (key; href; novel | stale | unnamed (its host has no address), or why it was refused; hash of its text, if
        # known; whether it had new links)
        visits: Sequence[tuple[bytes, str, str, bytes | None, bool]] = (),
        depths: Sequence[int] = (),  # of `finished`; missing ones are 0
        reread: Sequence[tuple[int, bytes]] = (),  # (depth, key) of pages whose links were read again
        reprioritised: Sequence[bytes] = (),  # data of `reprioritise`
        partition: int = 0,  # of the frame; any but the store's own is refused
    ) -> list[tuple[int, int]]:
        """Applies one synced frame, atomically with its sequence. Skips a frame that was applied before.
        Returns (origin number, best class) for each origin that had nothing to hand out and now has."""
    def forget_pending(self, discoveries: Sequence[bytes], refused: Sequence[tuple[str, bytes, str]] = ()) -> None:
        """Undoes admit(), for `data` and `refused` of `Discoveries` whose frame will never be written."""
    def state(self, key: bytes) -> str | None:
        """None if never seen, otherwise pending, queued, parked or finished."""
    def depths(self, keys: Sequence[bytes]) -> list[int | None]:
        """The lowest depth at which each URL was found (D5); None if never seen. Sitemaps that are not parked have 0."""
    def find(self, key: bytes) -> int | None:
        """The partition of a known URL, otherwise None."""
    def same_content(self, content_hash: bytes, but_not: bytes) -> bytes | None:
        """The key of the first URL whose body had this hash, never `but_not` (X1). Records nothing: only `apply` and
        `remember_content` do."""
    def remember_content(self, content_hash: bytes, key: bytes) -> None:
        """Records the hash in the overlay, until the frame is applied."""
    def forget_content(self, content_hash: bytes, key: bytes) -> None:
        """Undoes remember_content() if the answer is lost. A body of another key is kept."""
    def origins(self, max_depth: int | None = None) -> list[tuple[int, int]]:
        """(number, best class) of every origin with something to hand out, including parked URLs down to `max_depth`.
        Used at the start."""
    def origin(self, number: int) -> str | None:
        """The origin with this number, such as `https://example.com`."""
    def number(self, origin: str) -> int | None: ...
    def take(self, origin: int, count: int, *, max_depth: int | None = None) -> list[QueuedUrl]:
        """Returns the next URLs of an origin, best class first, every eighth from the lowest. Each is returned once until
        it is finished or given back. Fewer than `count`: there are no more until `apply` returns the origin."""
    def take_url(self, key: bytes) -> QueuedUrl | None:
        """Hands out this URL before all others. None if it is not queued (ended, handed out or parked)."""
    def give_back(self, keys: Sequence[bytes]) -> None: ...
    def worth(self, href: str, key: bytes, *, foreign: bool = False) -> str | None:
        """Why a queued URL is no longer worth a request (`no_novelty`), or None if it is (F6). A foreign URL is judged by
        the results of foreign URLs, unless its own host has linked to it since."""
    def is_foreign(self, key: bytes) -> bool:
        """Whether only other hosts link to a known URL. No longer known once it has ended."""
    def is_wanted(self, host: str) -> bool:
        """Whether the operator named a URL of this host."""
    def is_own(self, host: str) -> bool:
        """Whether a host is one of its registrable domain's own: another host of the domain or the operator named a URL
        of it, or it has the name of the domain, with or without `www.`."""
    def facts(self, href: str) -> dict[str, int | str]:
        """Counts of the URL's host and domain: shape, urls_of_shape, stale_fetches, stale_fetches_of_parts,
        foreign_stale_fetches, pages_of_host, sitemaps_of_host, found_in_minute, domain, hosts_of_domain."""
    def queued(self, origin: int) -> int:
        """URLs that are queued or handed out, without parked ones."""
    def counts(self) -> dict[str, int]:
        """seen, queued, parked, finished, origins, bloom_bits, bloom_false_positives, bloom_tests, bytes_on_disk."""
    def flush(self) -> None:
        """Syncs: everything applied so far survives a power cut."""
    def belong_to(self, log: int) -> None:
        """Records which log this is a view of. Raises `corrupt` if frames of another log were applied."""
    def saved(self) -> int:
        """The last frame that is completely on disk."""
    def close(self) -> None:
        """Waits for calls in progress; later calls raise. Closing again does nothing. Raises if not everything could be
        saved; the store is closed even then."""

@final
class StoreHandle:
    """A reference to the URL store for the engine's threads. It does not keep a closed store open."""

@final
class CheckedRuns:
    runs: int
    blocks: int
    damages: list[tuple[str, str]]
    """(file, what is wrong with it): at most one per file."""

def check_url_store(directory: str, progress: Callable[[int, int], object] | None = None) -> CheckedRuns:
    """Reads every block of every sorted run of a URL store that is not open. Calls `progress` with bytes read and total
    bytes; an exception of it ends the check."""

# ---- warc --------------------------------------------------------------------------------------

@final
class WarcSettings:
    def __new__(
        cls, *, software: str, operator: str = ..., robots_policy: str = ..., compression: int = 1
    ) -> WarcSettings: ...

@final
class WarcBlock:
    """Records to append to a file, and the position of each fetch in it."""

    data: bytes
    positions: list[tuple[int, int]]  # (offset in the file, length) of the response or revisit record, one per fetch
    dates: list[str]  # WARC dates of the fetches
    payload_digests: list[str]  # of the payload of each response record; empty for a revisit, which has none
    cdxj: list[str]  # its index line

@final
class WarcEntry:
    """A record as a scan found it."""

    offset: int
    length: int
    kind: str  # WARC-Type
    target: str  # WARC-Target-URI
    problem: str | None  # what is wrong with it
    cdxj: str | None  # its index line, for responses and revisits

def warc_information(settings: WarcSettings, file_name: str, written_at: float) -> bytes:
    """The `warcinfo` record, the first of a file."""

def warc_block(
    settings: WarcSettings,
    fetches: Sequence[tuple[Fetched, str | None, str | None, str | None, str, bool]],
    base_offset: int,
    file_name: str,
) -> WarcBlock:
    """(fetch; URL, WARC date and payload digest of what it may be a copy of, or None; metadata as
    application/warc-fields or ""; whether its body is kept) for each: response or revisit, request, metadata.

    A revisit is written for a 304, and if the payload digest equals that of the original (an original in the same block
    is found automatically). Equal text in other bytes (another content-coding) is stored whole. A fetch without an
    answer is refused."""

def warc_scan(data: bytes, base_offset: int = 0, file_name: str = "") -> tuple[list[WarcEntry], int]:
    """The records in `data`, which is at `base_offset` of that file, and how many bytes the complete ones take."""

def warc_copy(
    settings: WarcSettings,
    data: bytes,
    *,
    base_offset: int,
    new_offset: int,
    file_name: str,
    without_body: Sequence[int],
) -> tuple[bytes, list[tuple[int, int, int]], list[str], int]:
    """Copies the records in `data`, which is at `base_offset` of a file, to `new_offset` of the file `file_name`: those
    at the offsets `without_body` with their heads only, and no warcinfo. Returns the records, (old offset, new offset,
    length) of each, their index lines, and how many bytes of `data` were read."""

def warc_page(
    reader: Reader,
    url: str,
    record: bytes,
    original: bytes | None = None,
    *,
    cap: int,
    listed_as: str | None = None,
) -> tuple[Page | Listing | None, str | None]:
    """Reads a page again from its record. For a revisit, returns the URL whose record has the body; call it again with
    that record as `original`. Returns neither if the body was not archived. `cap`: maximum bytes of a page.
    `listed_as`: media type of a sitemap; then returns a Listing, unless the body is a page after all."""

def warc_read(data: bytes, *, cap: int) -> tuple[dict[str, str], bytes, bytes]:
    """One gzip member: (WARC headers in lower case, HTTP head, body decoded by its content-coding, at most
    `cap` bytes of it)."""

def rewrite_archived(
    head: bytes, body: bytes, *, url: str, page: str, frame: str, asset: str, guarded: bool = False
) -> tuple[str, bytes]:
    """An archived document for a browser: (content type, body). The URLs in it get one of three prefixes: links and forms
    `page`, frames `frame`, everything else that a browser fetches `asset`. `guarded`: HTML begins with a script that
    takes away from later scripts what no policy stops."""
