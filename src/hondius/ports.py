"""The ports: interfaces of the stores and of their surroundings, for stages, uses and commands.

    Place           where a crawl is stored; opens its stores. `stores/factory.py` has one for each world
    Disk            files of this machine
    Log             the truth
    UrlStore        seen and queued URLs: a view
    PartitionView   what the crawl itself reads: hosts, robots.txt, retries, orders, budgets. A view
    Catalog         what people read: pages, fetches, hosts, errors. A view
    Archive         writes WARC records; ArchiveReader reads them
    LinkSegments    links of pages; LinkReader reads them
    NearIndex       which pages say nearly the same: a view
    DeepTexts       results of the deep pass over pages: a cache
    Consumers       how far named consumers have read the log
    Orders          commands from other processes to the crawl
    Attempts        records of requests
    Turns           when a request may start at an address
    Lock            one writer at a time

Every port has one contract suite (`tests/contracts/`) that runs against each of its adapters.
Methods block. Code on an event loop calls those of the log, the archive, the catalog and the partition's view on a
worker thread (decision 0020). The URL store reads ahead on its own threads. The URL store and the partition's view are
local in every world.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from hondius.clock import Clock
from hondius.model import (
    ALL_PAGES,
    AnyEvent,
    Blacklisted,
    DeepText,
    Failed,
    Frame,
    HostOrder,
    HostState,
    LeftOut,
    Order,
    PageFilter,
    PageOrder,
    RobotsCopy,
)
from hondius.moves import Move
from hondius.native import (
    Attempt,
    Discoveries,
    Fetched,
    HostLimits,
    Identity,
    LinkPolicy,
    Listing,
    Page,
    PageLinks,
    QueuedUrl,
    RankFactors,
    StoreHandle,
)
from hondius.position import START, Cursor, Position
from hondius.search_model import Found, IndexedPage, SearchQuery


class Disk(Protocol):
    """The files of a crawl: log, WARC, attempts. Paths are relative to the crawl directory.

    Appended bytes survive a crash of the process at once, but a crash of the machine only after `sync`. On a full disk
    a call raises DiskFull and leaves the file unchanged.
    """

    @property
    def place(self) -> str:
        """The crawl directory as the user named it, for messages."""

    def exists(self, path: str) -> bool: ...
    def size(self, path: str) -> int: ...
    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes: ...
    def append(self, path: str, data: bytes) -> None: ...
    def replace(self, path: str, data: bytes | Iterable[bytes], *, is_shared: bool = False) -> None:
        """Writes the whole file atomically and durably (temporary file, sync, rename, sync). `data` may come in parts,
        which may be read from the file that they replace. `is_shared`: another
        process may replace it at the same time; one of them wins."""

    def copy(self, path: str, target: str) -> None:
        """Keeps the content of a file under another name, durably. If possible, it is a hard link: use it only for a
        file that is replaced or removed next."""

    def sync(self, path: str) -> None: ...
    def truncate(self, path: str, length: int) -> None: ...
    def remove(self, path: str) -> None: ...
    def list(self, directory: str) -> list[str]:
        """The sorted names of its files; empty if there is no such directory."""

    def free_bytes(self) -> int: ...
    def close(self) -> None:
        """Closes all open files. The disk can still be used."""


class Log(Protocol):
    """The truth: frames in order.

    A log has partitions, each with its own frames and sequences. One process writes all of them, one frame at a time,
    so every frame has a number among the frames of all partitions. Events of a host are in the partition of its
    registrable domain, events of the whole crawl in partition 0.
    """

    @property
    def place(self) -> str:
        """The place of its disk, for messages."""

    @property
    def end(self) -> Position:
        """The position after its last frame; START if it is empty."""

    @property
    def identity(self) -> int:
        """A digest of its first frame, different for each log. 0 if that frame is missing or unreadable."""

    @property
    def partitions(self) -> int:
        """The number of partitions; it never changes."""

    def append(self, events: Sequence[AnyEvent], at: float, partition: int = 0) -> Frame:
        """Appends a frame, durably. On DiskFull nothing was appended."""

    def refresh(self) -> None:
        """For a log that was opened for reading: from now on, includes the frames that another process has appended
        since."""

    def read(self, after: Position = START) -> Iterator[Frame]:
        """The frames after a position, by number; includes frames that are appended meanwhile."""

    def newest(self, most: int) -> Iterator[Frame]:
        """Up to `most` of the last frames, in order."""

    def frame(self, number: int) -> Frame | None:
        """One frame by its number (as stored in rows of the catalog)."""

    def close(self) -> None: ...


class UrlStore(Protocol):
    """Seen and queued URLs: a view of the log, or of one partition of it. `_native.pyi` says what each method does."""

    @property
    def applied(self) -> int:
        """The number of applied frames."""

    @property
    def sequences(self) -> tuple[int, ...]:
        """The sequence of the last applied frame, for each partition."""

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
    ) -> Discoveries: ...
    def admit_requisites(
        self,
        fetched: Fetched,
        policy: LinkPolicy,
        *,
        depth: int,
        priority: float,
        discovered_at: float,
        hops: int = 0,
    ) -> Discoveries: ...
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
    ) -> Discoveries: ...
    def admit_archived_listing(
        self,
        listing: Listing,
        source: bytes,
        listed: str,
        policy: LinkPolicy,
        *,
        priority: float,
        discovered_at: float,
        max_depth: int | None,
        found_on: str,
        skip: int = 0,
        most: int = ...,
        priorities: bytes | Sequence[float] | None = None,
    ) -> Discoveries | None: ...
    def admit_listed(
        self,
        fetched: Fetched,
        listed: str,
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
    ) -> Discoveries | None: ...
    def admit(
        self,
        urls: Sequence[tuple[str, bytes]],
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
        found_on: str | None = None,
        is_seed: bool = False,
        known_only: bool = False,
        priorities: bytes | Sequence[float] | None = None,
    ) -> Discoveries: ...
    def forget_pending(self, discoveries: Sequence[bytes], refused: Sequence[tuple[str, bytes, str]] = ()) -> None: ...
    def apply(
        self,
        sequence: int,
        discoveries: Sequence[bytes],
        finished: Sequence[tuple[bytes, bytes | None]],
        visits: Sequence[tuple[bytes, str, str, bytes | None, bool]] = (),
        depths: Sequence[int] = (),
        reread: Sequence[tuple[int, bytes]] = (),
        reprioritised: Sequence[bytes] = (),
        partition: int = 0,
    ) -> list[tuple[int, int]]: ...
    def rerank(
        self, factors: RankFactors, cursor: tuple[int, int, int] = (0, 0, 0), most: int = 10_000
    ) -> tuple[bytes, int, tuple[int, int, int] | None]: ...
    def read_ahead(self, urls: Sequence[tuple[str, bytes]], found_on: str | None = None) -> None: ...
    def expect(self, origin: int, *, max_depth: int | None = None) -> None: ...
    def handle(self) -> StoreHandle | None:
        """For the threads that read pages; None if they cannot look up links in it."""

    def closest(self, url: QueuedUrl) -> QueuedUrl: ...
    def rereads(self, depth: int, most: int) -> list[tuple[int, bytes]]: ...
    def state(self, key: bytes) -> str | None: ...
    def depths(self, keys: Sequence[bytes]) -> list[int | None]: ...
    def find(self, key: bytes) -> int | None: ...
    def same_content(self, content_hash: bytes, but_not: bytes) -> bytes | None: ...
    def remember_content(self, content_hash: bytes, key: bytes) -> None: ...
    def forget_content(self, content_hash: bytes, key: bytes) -> None: ...
    def origins(self, max_depth: int | None = None) -> list[tuple[int, int]]: ...
    def origin(self, number: int) -> str | None: ...
    def number(self, origin: str) -> int | None: ...
    def take(self, origin: int, count: int, *, max_depth: int | None = None) -> list[QueuedUrl]: ...
    def take_url(self, key: bytes) -> QueuedUrl | None: ...
    def give_back(self, keys: Sequence[bytes]) -> None: ...
    def worth(self, href: str, key: bytes, *, foreign: bool = False) -> str | None: ...
    def is_foreign(self, key: bytes) -> bool: ...
    def is_wanted(self, host: str) -> bool: ...
    def is_own(self, host: str) -> bool: ...
    def facts(self, href: str) -> dict[str, int | str]: ...
    def queued(self, origin: int) -> int: ...
    def counts(self) -> dict[str, int]: ...
    def belong_to(self, log: int) -> None: ...
    def saved(self) -> int: ...
    def close(self) -> None: ...


def find_position(urls: UrlStore) -> Position:
    """How far a URL store has applied the log."""
    return Position.of(urls.sequences)


class HostRecords(Protocol):
    """What is stored about hosts: clocks, robots.txt, orders, and how much of their budgets is spent."""

    def host(self, host: str) -> HostState | None: ...
    def longest_crawl_delay(self) -> float:
        """The longest delay that a host asked for; at least a minute."""

    def robots(self, origin: str) -> RobotsCopy | None: ...
    def unreachable(self, most: int) -> list[tuple[str, str]]:
        """(origin, reason) of origins whose URLs wait because robots.txt is unreachable."""

    def host_orders(self) -> list[HostOrder]:
        """The newest order for each host that has one."""

    def blacklist(self) -> list[Blacklisted]: ...
    def hosts_at(self, address: str, most: int) -> int:
        """How many hosts were contacted at an address; counts up to `most`."""

    def list_hosts_of_domain(self, domain: str, most: int) -> list[str]:
        """Up to `most` contacted hosts of a registrable domain."""

    def fetched_of_domain(self, domain: str) -> int:
        """Answers of all hosts of a registrable domain, without robots.txt and recrawls."""


class UrlRecords(Protocol):
    """What is stored about URLs outside the queue: how they ended, what failed, what led out of the scope."""

    def page(self, key: bytes) -> dict[str, Any] | None: ...
    def fetches(self, key: bytes) -> list[dict[str, Any]]:
        """All its fetches, oldest first."""

    def pages(
        self,
        selected: PageFilter = ALL_PAGES,
        order: PageOrder = "key",
        leave_out: Callable[[dict[str, Any]], None] = lambda page: None,
    ) -> Iterator[dict[str, Any]]:
        """The selected pages. A slow reader delays no writer. Raises BadSetting, at once, for a bad pattern. Orders
        other than `key` are sorted first, which takes 8 bytes of memory for each page; a page that ends meanwhile may
        be missing. `leave_out` is called with each page that is reserved for the purpose of the filter (W3)."""

    def list_due(self, until: float, most: int, after: tuple[float, bytes] = ...) -> list[dict[str, Any]]:
        """Up to `most` ended pages that are due again by then (R1), by (time, key), beginning after one of these. A
        page that is queued again is among them until it ends."""

    def find_next_due(self, after: float) -> float | None:
        """The first time after this one at which a page is due; None if none is."""

    def count_due(self, until: float) -> int:
        """How many pages are due by then."""

    def list_change_rates(self) -> Iterator[tuple[float, float]]:
        """(seconds between two changes, priority) of each page that will be due again. A slow reader delays no
        writer."""

    def retries(self, most: int) -> list[Failed]:
        """Up to `most` queued URLs that have failed: how often, and when they may be retried."""

    def retry(self, key: bytes) -> Failed | None:
        """The same for one URL."""

    def failed_seeds(self, most: int) -> list[tuple[str, str, str]]:
        """(URL, cause, detail) of up to `most` seeds, or targets of their redirects, without a good answer."""

    def seeds_without_answer(self) -> Iterator[tuple[str, bytes, str]]:
        """(URL, key, via) of all such seeds that other settings might help."""

    def scope(self) -> Iterator[str]:
        """Hrefs of seeds and of the targets of their redirects, in order: one per line, in texts of a few thousand
        lines."""

    def unfinished_seeds(self) -> list[tuple[str, int]]:
        """(source, how many seeds were taken) of sources whose seeds are incomplete."""

    def has_left_out(self) -> bool:
        """Whether something that led out of the scope has not been judged again."""

    def left_out(self, most: int) -> list[LeftOut]:
        """Up to `most` entries that led out of the scope before it last grew, oldest first. A sitemap is listed with
        its first piece, but not returned before its end is known."""


class FrameView(Protocol):
    """Data that is computed from the log, frame by frame: the part of it that a commit needs."""

    @property
    def name(self) -> str:
        """The name by which messages and BrokenView call it."""

    @property
    def position(self) -> Position:
        """The position after the last applied frame."""

    @property
    def log(self) -> int:
        """The identity of the log whose frames were applied."""

    def apply(self, frames: Sequence[Frame]) -> int:
        """Applies frames. Never fails because of the content of an event. Returns how many events could not be applied
        as they are because of a bug."""

    def close(self) -> None: ...


class View(FrameView, Protocol):
    """A view with the rows that both the crawl and people read."""

    def archived(self) -> dict[str, int]:
        """WARC file → durable length."""

    def link_segments(self) -> dict[str, int]:
        """Link segment → durable length."""

    def list_link_locations(self, file: str, selected: PageFilter = ALL_PAGES) -> Iterator[tuple[int, int, bytes, str]]:
        """(offset, index, key, URL) of each page whose links are in that segment, in this order; with a filter, only of
        selected pages. The filter's URL pattern and purpose are ignored."""

    def totals(self) -> dict[str, Any]:
        """states: {state: n} and causes: {(state, cause): n} of pages; sitemaps and requisites: the same
        of sitemap files and of requisites; and the numbers hosts, fetches, wire_bytes, refused_more, unread_links."""

    def runs(self) -> list[tuple[int, float]]:
        """(number of its first frame, start time) of each run, in order."""

    def frame_of(self, row: HostState | RobotsCopy | Failed | HostOrder) -> int:
        """The number of the frame from which a result of `host`, `robots`, `retries` or `host_orders` comes."""

    def close(self) -> None: ...


class PartitionView(View, HostRecords, UrlRecords, Protocol):
    """Everything that the crawl itself reads about the hosts that this process owns. It is always local: handing out a
    URL reads nothing that the nodes of a cluster share (decision 0020)."""


class Catalog(View, HostRecords, UrlRecords, Protocol):
    """Pages, fetches, hosts and errors of the whole crawl, for people (S2)."""

    def has_ended(self, key: bytes) -> bool: ...
    def read_columns(self, columns: Sequence[str], selected: PageFilter = ALL_PAGES) -> Iterator[tuple[Any, ...]]:
        """Some columns of each selected page, in the order in which pages first ended: for counts over a whole crawl.
        Takes a fraction of the time of `pages`. The filter's URL pattern and purpose are ignored. A slow reader delays
        no writer."""

    def list_most_frequent(self, column: str, most: int, selected: PageFilter = ALL_PAGES) -> list[tuple[Any, int]]:
        """(value, pages) of the `most` values that most of the selected pages have in a column. Pages without a value
        do not count. Memory does not grow with the number of values."""

    def hosts(self) -> Iterator[HostState]:
        """All contacted hosts, by name. A slow reader delays no writer."""

    def pages_without_links(self) -> Iterator[dict[str, Any]]:
        """Pages that have links which are not in any segment, by key. A slow reader delays no writer."""

    def list_pages_of_more_links(self, than: int, most: int) -> list[tuple[str, int]]:
        """(URL, links) of up to `most` pages with more than `than` links."""

    def list_ended_for(self, state: str, cause: str) -> Iterator[tuple[str, str, int, str]]:
        """(URL, host, depth, kind) of each page and sitemap file that ended in this state, for this cause."""

    def refused_more(self, host: str) -> dict[str, int]:
        """How many links of a host were refused and only counted, by cause."""

    def list_all_fetches(self) -> Iterator[dict[str, Any]]:
        """Every fetch of every URL, in the order in which they were stored. A slow reader delays no writer."""

    def list_errors(self) -> Iterator[dict[str, Any]]:
        """key, cause, host, detail, count and time of each failure, by key and cause. Delays no writer."""

    def open_circuits(self, now: float, most: int) -> list[tuple[str, int, float]]:
        """(host, consecutive failures, until when) of hosts with an open circuit."""

    def blacklist_orders(self) -> list[Blacklisted]:
        """The newest order for each domain, including those that lift it."""

    def last_run(self) -> dict[str, Any] | None:
        """started_at, version, ended_at, reason of the newest run; the last two are None if it has not ended."""


Record = tuple[dict[str, str], bytes, bytes]
"""WARC fields, HTTP head, decoded body."""


class ArchiveReader(Protocol):
    """Reads WARC records, from any thread. Raises HondiusError if a record is missing, Broken if it is damaged."""

    def record(self, file: str, offset: int, length: int) -> bytes:
        """The bytes of a record, as written."""

    def read(self, file: str, offset: int, length: int, cap: int = ...) -> Record:
        """The decoded record; at most `cap` bytes of its body."""

    def size(self) -> int:
        """Total bytes of all records."""


class StoredRecord(NamedTuple):
    """A response of the archive, as `Archive.rewrite` finds it."""

    offset: int
    target: str
    """Its URL."""
    date: str
    """When it was requested: fourteen digits, as in the index."""


class Rewriting(NamedTuple):
    """A WARC file that was copied into another (S9)."""

    into: str
    length: int
    moves: list[Move]


class Archive(ArchiveReader, Protocol):
    """WARC files (S3). `append` returns when the records are durable."""

    def append(self, fetches: Sequence["ArchivedFetch"]) -> "ArchiveReceipt": ...
    def has(self, file: str) -> bool:
        """Whether a file is there. Its owner may have moved it elsewhere."""

    def rewrite(self, file: str, length: int, is_unwanted: Callable[[StoredRecord], bool]) -> Rewriting:
        """Copies the first `length` bytes of a complete file into a new one, durably, and leaves out the bodies of
        unwanted responses. The old file stays: `remove` it when the log has what this returns. If anything is raised,
        there is no new file. Raises Broken if the file is damaged."""

    def remove(self, file: str) -> None:
        """Removes a file that was rewritten."""

    def close(self) -> None: ...


class ArchivedFetch(Protocol):
    """An exchange to archive: the native fetch, and its original if it is a copy."""

    @property
    def fetched(self) -> Any: ...
    @property
    def copy_of(self) -> str | None: ...
    @property
    def copy_date(self) -> str | None: ...
    @property
    def metadata(self) -> str:
        """Lines of `application/warc-fields`, each with its line end; may be empty."""

    @property
    def keep_body(self) -> bool:
        """False if the page asked not to be archived (D4): only its head is stored."""


class LinkReader(Protocol):
    """Reads the links of pages, from any thread, also while a crawl runs."""

    def read(self, file: str, offset: int, index: int) -> PageLinks:
        """The links of one page. Raises HondiusError if they cannot be read."""

    def scan(self, file: str, length: int) -> Iterator[tuple[int, list[PageLinks]]]:
        """(offset, pages) of each block in the first `length` bytes of a segment, in order, one block at a time. Raises
        HondiusError at a block that cannot be read."""

    def read_block(self, file: str, offset: int) -> list[PageLinks]:
        """The links of all pages of a block, by index. Raises HondiusError if they cannot be read."""

    def read_packed(self, file: str, offset: int) -> bytes:
        """A block as it is stored, for native code."""


class LinkSegments(LinkReader, Protocol):
    """The links of pages. `append` returns when they are durable; on DiskFull nothing was appended."""

    def append(self, pages: Sequence["LinkSource"]) -> "LinkReceipt": ...
    def close(self) -> None: ...


LinkSource = tuple[bytes, str, Page | PageLinks]
"""A page whose links are stored: its key, its href, and its links, from a fresh page or from a segment."""


class LinkReceipt(Protocol):
    @property
    def locations(self) -> list[tuple[str, int, int]]:
        """(file, offset, index) of the links of each page."""

    @property
    def durable(self) -> list[tuple[str, int]]:
        """(file, length) of each file touched: the `LinksKept` events of the frame."""


class ArchiveReceipt(Protocol):
    @property
    def locations(self) -> list[tuple[str, int, int]]:
        """(file, offset, length) of the response record of each fetch."""

    @property
    def durable(self) -> list[tuple[str, int]]:
        """(file, length) of each file touched: the `Archived` events of the frame."""


class NearIndex(FrameView, Protocol):
    """Which pages say nearly the same (X2, X4): a view. `find` does not wait for `apply`."""

    def find(self, key: bytes, sketch: bytes) -> tuple[bool, bytes | None]:
        """Whether the page is like no other, and the key of the page of which it is a near copy. (False, None): an
        earlier visit of the page itself is in the index."""

    def remember(self, key: bytes, sketch: bytes) -> None:
        """Later pages may be near copies of this one, although no frame has it yet."""

    def forget(self, key: bytes) -> None:
        """No frame will have it."""

    def find_damages(self) -> list[str]:
        """Reads everything."""


class DeepTexts(Protocol):
    """Results of the deep pass, stored so that it is made once a page. A cache: it may be lost at any time, and a
    result that cannot be read or stored is computed again. Any thread and any process may use it. Never raises."""

    def get(self, key: bytes, content_hash: bytes, version: int) -> DeepText | None:
        """None unless the stored result is of this content and this version of the rules."""

    def put(self, key: bytes, content_hash: bytes, version: int, text: DeepText) -> None:
        """Replaces the result for another content or version of the same page."""

    def close(self) -> None: ...


class Consumers(Protocol):
    """How far each named consumer has read the log, durably. Any process may read and save; `hold` keeps a second one
    from reading pages under the same name.

    A consumer continues from its cursor, so the frames after it must stay readable: whatever deletes frames, such as a
    retention rule, must not delete any that a cursor listed here does not cover (`CLUSTER.md`, rule 10).
    Names have letters, digits, `-`, `_` and `.`; any other raises WrongUse.
    """

    def position(self, name: str) -> Cursor | None:
        """None if there is no consumer of this name. Raises Broken if its cursor cannot be read."""

    def save(self, name: str, cursor: Cursor) -> None:
        """Replaces its cursor, atomically and durably."""

    def hold(self, name: str) -> AbstractContextManager[None]:
        """For as long as its pages are read, or until the process ends in any way. Raises DirectoryInUse if another
        process holds it; this process may hold it several times."""

    def list(self) -> list[str]:
        """The names of all consumers, sorted."""

    def remove(self, name: str) -> bool:
        """False if there is no consumer of this name."""


class SearchWriter(Protocol):
    """Writes to the search index. Only `commit` makes anything visible or durable."""

    def put(self, page: IndexedPage) -> None:
        """Replaces the page of the same key."""

    def remove(self, key: bytes) -> None: ...
    def commit(self, cursor: Cursor) -> None:
        """Makes all changes and the cursor durable: all of it, or nothing."""

    def close(self) -> None:
        """Drops what was not committed."""


class SearchIndex(Protocol):
    """The words of pages (S7): a view of the log. One process writes, any number read. An index that is damaged, or of
    another version, has no cursor, and nothing is found in it."""

    @property
    def is_temporary(self) -> bool:
        """Whether it ends with `close`, because the crawl cannot be written."""

    def refresh(self) -> Cursor | None:
        """Reads what was committed since. Returns how far the log was read; None: the index must be built."""

    def count(self) -> int:
        """How many pages it has."""

    def list_keys(self) -> list[bytes]:
        """The keys of all pages, sorted. For checks."""

    def search(self, query: SearchQuery, *, limit: int, offset: int) -> Found:
        """The results from `offset` on. Raises Broken if the index is damaged, also while its hits are read, and
        BadSetting if a query means too many words."""

    def begin(self, cursor: Cursor, *, anew: bool) -> SearchWriter:
        """Begins to write. `anew`, or if there is no index: begins with an empty one, at this cursor. Raises
        DirectoryInUse if another process writes."""

    def close(self) -> None: ...


class Orders(Protocol):
    """Orders to a crawl from other processes. An order is stored until a run has obeyed it."""

    def post(self, orders: Sequence[Order], number: int) -> None:
        """Posts all orders or none. `number` sorts them, oldest first: nanoseconds, except in tests."""

    def has_any(self) -> bool:
        """Whether there are orders that no run has obeyed yet."""

    def orders(self) -> Iterator[tuple[Order, Callable[[], None]]]:
        """Each order that this object has not returned before, and a function to call once it is durable."""


class Attempts(Protocol):
    """Records of requests, one file per run. The engine itself writes them when it sends."""

    @property
    def number(self) -> int:
        """The number of this run's file; 0 before `begin`."""

    @property
    def next_number(self) -> int:
        """The number of the file that `begin` would create."""

    def newest(self) -> Sequence[Attempt]:
        """The last records of the last run that sent anything."""

    def last(self, seconds: float) -> list[Sequence[Attempt]]:
        """The last records of each run that sent a request at most `seconds` before the newest record, the oldest run
        first."""

    def begin(self) -> str:
        """Creates the file of this run. Returns its path below `Place.directory`."""


class Turns(Protocol):
    """Turns at addresses (P3): limits parallel requests to an address and spaces them, for all hosts there. An address
    is an IP address without a port.

    This is the only port that never blocks and is never awaited: a turn begins in the same step of the event loop in
    which a URL is handed out. So `ask` and `begin` are separate. An adapter that must ask a server first, such as a
    script in Redis, does so in the background, and meanwhile `ask` returns when to ask again. Once the adapter has the
    turn, it holds it for a while, and `ask` returns that it may begin at once. That may cost time, never politeness.
    """

    def ask(self, address: str, now: float) -> float:
        """When a request may start there, or when to ask again. If the result is `now` or earlier, `begin` may follow,
        without an await in between."""

    def come_back_at(self, address: str, now: float) -> float:
        """Like `ask`, for one of several hosts that share the address. If it is taken, each caller gets a different
        time, so that they come back one after the other."""

    def begin(self, address: str, host: str, now: float) -> None:
        """Begins a turn, for a request to this host."""

    def cancel(self, address: str, host: str) -> None:
        """Ends a turn in which nothing was sent: restores the gap, unless another host began a turn since."""

    def end(self, address: str) -> None:
        """Ends a turn."""


class Lock(AbstractContextManager["Lock"], Protocol):
    """Held until `close`, or until the process ends in any way."""

    def close(self) -> None: ...


class Place(Protocol):
    """Where a crawl is stored. Each call opens a store again. Only the holder of the lock may write."""

    @property
    def name(self) -> str:
        """The name that the user gave, for messages."""

    @property
    def directory(self) -> Path:
        """The local directory for files that belong to no store: those that the engine writes, and message logs."""

    @property
    def disk(self) -> Disk: ...
    def exists(self, advice: str) -> bool:
        """Whether there is a crawl. Raises BadDirectory, with `advice` at its end, if there is something else."""

    @property
    def has_settings(self) -> bool: ...
    def read_settings(self, most: int) -> bytes:
        """The settings of an existing crawl."""

    def write_settings(self, text: bytes, *, are_secret: bool) -> None: ...
    def read_note(self, name: str, most: int) -> bytes | None:
        """The last note of this name, written for other processes; None if there is none that can be read."""

    def write_note(self, name: str, data: bytes) -> None:
        """Replaces a note atomically, without a sync. On a full disk the old note stays."""

    @property
    def is_writable(self) -> bool:
        """False if the medium is read-only, or the user may not write."""

    @property
    def has_search_index(self) -> bool:
        """Whether anybody built one."""

    def discard_texts(self) -> None:
        """Removes the stored results of the deep pass: they are made of bodies that may be removed next."""

    def lock(self, *, shared: bool = False) -> Lock:
        """Raises DirectoryInUse if another process holds it."""

    def holder(self) -> int | None:
        """The process that holds the lock, 0 if its number is unknown; None if nobody does."""

    def orders(self) -> Orders: ...
    def attempts(self) -> Attempts: ...
    def open_turns(self, *, gap: float, most: int, is_spaced: bool, clock: Clock) -> Turns:
        """`gap`: seconds between two starts at one address, if `is_spaced`; `most`: parallel requests there."""

    def changed_at(self) -> float:
        """When the log or the attempts were last written, by the wall clock; 0: never."""

    def open_log(self, *, segment_bytes: int | None = None, read_only: bool = False) -> Log: ...
    def open_urls(
        self, *, capacity: int, memory: int, limits: HostLimits | None = None, must_exist: bool = False
    ) -> UrlStore:
        """Raises BrokenView if it cannot be opened but could be rebuilt; DiskFull or HondiusError if neither."""

    def open_views(self) -> tuple[PartitionView, Catalog]:
        """Opens both for writing. They may be one object."""

    def open_view(self) -> PartitionView:
        """For one reader: its long queries delay nobody. It cannot be written."""

    def open_catalog(self) -> Catalog:
        """Opens it for reading, even while a crawl runs. Raises BrokenView if it is missing or unreadable."""

    def open_scratch_catalog(self) -> AbstractContextManager[Catalog]:
        """An empty catalog, removed at the end of the context."""

    def open_scratch_place(self) -> AbstractContextManager["Place"]:
        """A place of this world for a temporary crawl, removed at the end of the context."""

    def open_archive(
        self, durable: Mapping[str, int], *, operator: str, file_bytes: int | None = None, clock: Clock
    ) -> Archive: ...
    def open_reader(self) -> ArchiveReader: ...
    def open_links(self, durable: Mapping[str, int], *, identity: Identity, clock: Clock) -> LinkSegments: ...
    def open_link_reader(self, *, identity: Identity) -> LinkReader: ...
    def open_near(self, *, similarity: float) -> NearIndex: ...
    def open_deep_texts(self) -> DeepTexts: ...
    def open_consumers(self) -> Consumers: ...
    def open_search_index(self) -> SearchIndex:
        """Needs the optional package tantivy."""

    def discard(self, view: str) -> None:
        """Removes a broken view, by its name in BrokenView. Raises OSError if that fails."""

    def clear_away(self) -> None:
        """Removes files that an interrupted rebuild or check left behind."""


@dataclass(frozen=True, slots=True)
class Stores:
    """The open stores of a crawl. `view` and `catalog` may be one object."""

    place: Place
    log: Log
    urls: UrlStore
    view: PartitionView
    catalog: Catalog
    archive: Archive
    links: LinkSegments
    near: "NearIndex | None" = None
    """None if near copies are not wanted."""

    @property
    def views(self) -> Sequence[FrameView]:
        """All views except the URL store, in the order in which frames are applied to them."""
        views = (self.view,) if self.view is self.catalog else (self.view, self.catalog)
        return views if self.near is None else (*views, self.near)
