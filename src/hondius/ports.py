"""The ports: what a stage, a use or a command may ask of a store, and of the world.

    Place           where a crawl lies; opens its stores. `stores/factory.py` has one for each world
    Disk            files of this machine
    Log             the truth
    UrlStore        seen and queued URLs: a view
    PartitionView   what the crawl itself reads back: hosts, robots.txt, retries, orders, budgets. A view
    Catalog         what people ask about: pages, fetches, hosts, errors. A view
    Archive         WARC records, as they are written; ArchiveReader: as they are read
    LinkSegments    links of pages
    Orders          from other processes to the crawl
    Attempts        records of what was sent
    Turns           when a request may start at an address
    Lock            one writer at a time

Every port has one contract suite (`tests/contracts/`) that runs against each of its adapters.
Methods block. Whoever runs an event loop calls those of the log, the archive, the catalog and the partition's view on
a worker thread (decision 0020). The URL store reads ahead on threads of its own. Both views are local in every world.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from hondius.clock import Clock
from hondius.model import (
    AnyEvent,
    Blacklisted,
    Failed,
    Frame,
    HostOrder,
    HostState,
    LeftOut,
    Order,
    RobotsCopy,
)
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
    StoreHandle,
)
from hondius.position import START, Position


class Disk(Protocol):
    """Files as the crawl writes them: log, WARC, attempts. Paths are relative to the crawl directory.

    Appended bytes survive a crash of the process at once, a crash of the machine only after
    `sync`. A full disk raises DiskFull and leaves the file as it was before the call.
    """

    @property
    def place(self) -> str:
        """The crawl directory as the user named it, for advice."""

    def exists(self, path: str) -> bool: ...
    def size(self, path: str) -> int: ...
    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes: ...
    def append(self, path: str, data: bytes) -> None: ...
    def replace(self, path: str, data: bytes) -> None:
        """Writes the whole file atomically and durably (temporary file, sync, rename, sync)."""

    def sync(self, path: str) -> None: ...
    def truncate(self, path: str, length: int) -> None: ...
    def remove(self, path: str) -> None: ...
    def list(self, directory: str) -> list[str]:
        """Names of the files in it, sorted; empty where there is no such directory."""

    def free_bytes(self) -> int: ...
    def close(self) -> None:
        """Closes the files that it has open. It can be used again."""


class Log(Protocol):
    """The truth: frames in order.

    A log has partitions, each with frames and sequences of its own. One process writes all of them, one frame after the
    other, so that every frame has a place among all: its number. Whatever concerns a host lies in the partition of its
    registrable domain; what concerns the whole crawl, in partition 0.
    """

    @property
    def place(self) -> str:
        """Of the disk that it lies on."""

    @property
    def end(self) -> Position:
        """Behind its last frame; START while it is empty."""

    @property
    def identity(self) -> int:
        """Of its first frame, which no other log has: a view is of one log. 0 where there is none that can be read."""

    @property
    def partitions(self) -> int:
        """How many it has; for good."""

    def append(self, events: Sequence[AnyEvent], at: float, partition: int = 0) -> Frame:
        """Durable when it returns. On DiskFull nothing was appended."""

    def read(self, after: Position = START) -> Iterator[Frame]:
        """Frames behind a position, in the order of their numbers; also those that are appended while it runs."""

    def newest(self, most: int) -> Iterator[Frame]:
        """The last frames, in order; up to `most`."""

    def frame(self, number: int) -> Frame | None:
        """One frame by its number, as rows of the catalog have it."""

    def close(self) -> None: ...


class UrlStore(Protocol):
    """Seen and queued URLs: a view of the log, or of one partition of it. `_native.pyi` says what each method does."""

    @property
    def applied(self) -> int:
        """How many frames were applied."""

    @property
    def sequences(self) -> tuple[int, ...]:
        """The last frame that was applied, of each partition."""

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
    def read_ahead(self, urls: Sequence[tuple[str, bytes]], found_on: str | None = None) -> None: ...
    def expect(self, origin: int, *, max_depth: int | None = None) -> None: ...
    def handle(self) -> StoreHandle | None:
        """For the threads that read pages; None: they cannot look up links in it."""

    def closest(self, url: QueuedUrl) -> QueuedUrl: ...
    def rereads(self, depth: int, most: int) -> list[tuple[int, bytes]]: ...
    def state(self, key: bytes) -> str | None: ...
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
    def facts(self, href: str) -> dict[str, int | str]: ...
    def queued(self, origin: int) -> int: ...
    def counts(self) -> dict[str, int]: ...
    def belong_to(self, log: int) -> None: ...
    def saved(self) -> int: ...
    def close(self) -> None: ...


def applied_by(urls: UrlStore) -> Position:
    """Where a URL store stands in the log."""
    return Position.of(urls.sequences)


class HostMemory(Protocol):
    """What is known of hosts: clocks, robots.txt, orders, and how much of their budgets is spent."""

    def host(self, host: str) -> HostState | None: ...
    def longest_crawl_delay(self) -> float:
        """That any host asked for; a minute at the least."""

    def robots(self, origin: str) -> RobotsCopy | None: ...
    def unreachable(self, most: int) -> list[tuple[str, str]]:
        """Origins whose robots.txt cannot be had, so that their URLs wait; and why."""

    def host_orders(self) -> list[HostOrder]:
        """The newest order for each host that has one."""

    def blacklist(self) -> list[Blacklisted]: ...
    def hosts_at(self, address: str, most: int) -> int:
        """How many hosts were contacted there; counted up to `most`."""

    def hosts_below(self, domain: str, most: int) -> int:
        """How many hosts of a registrable domain were contacted; counted up to `most`."""

    def fetched_of_domain(self, domain: str) -> int:
        """Answers of all hosts of a registrable domain, but for robots.txt and recrawls."""


class UrlMemory(Protocol):
    """What is known of URLs beside their queue: how they ended, what failed, what led out of the scope."""

    def page(self, key: bytes) -> dict[str, Any] | None: ...
    def fetches(self, key: bytes) -> list[dict[str, Any]]:
        """Its history, the oldest first."""

    def pages(self, states: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        """In the order of the key."""

    def retries(self, most: int) -> list[Failed]:
        """Of up to `most` queued URLs that have failed: how often, and when they may be tried again."""

    def retry(self, key: bytes) -> Failed | None:
        """The same of one URL."""

    def failed_seeds(self, most: int) -> list[tuple[str, str, str]]:
        """(URL, cause, detail) of up to `most` seeds, or targets of their redirects, that had no good answer."""

    def seeds_without_answer(self) -> Iterator[tuple[str, bytes, str]]:
        """(URL, key, via) of all such seeds that might end otherwise with other settings."""

    def scope(self) -> Iterator[str]:
        """Hrefs of seeds and of where their redirects led, in their order: texts of a few thousand lines, one each."""

    def unfinished_seeds(self) -> list[tuple[str, int]]:
        """Sources of which not all seeds were taken: their names, and how many were."""

    def has_left_out(self) -> bool:
        """Whether anything is listed that led out of the scope and was not judged again."""

    def left_out(self, most: int) -> list[LeftOut]:
        """Up to `most` that led out of a scope that has grown since, the oldest first. A sitemap is listed with its
        first piece, but not returned before its end is known."""


class View(Protocol):
    """What is folded from the log, frame by frame."""

    @property
    def name(self) -> str:
        """What messages call it, and BrokenView."""

    @property
    def position(self) -> Position:
        """Behind the last frame that was applied."""

    @property
    def log(self) -> int:
        """The identity of the log whose frames were applied."""

    def apply(self, frames: Sequence[Frame]) -> int:
        """Never fails because of what an event holds. Returns how many events a bug kept from being shown as is."""

    def archived(self) -> dict[str, int]:
        """WARC file → durable length."""

    def link_segments(self) -> dict[str, int]:
        """Link segment → durable length."""

    def link_places(self, file: str) -> Iterator[tuple[int, int, bytes, str]]:
        """(offset, index, key, URL) of each page whose links lie in that segment, in this order."""

    def totals(self) -> dict[str, Any]:
        """Of pages, states: {state: n} and causes: {(state, cause): n}; sitemaps: {(state, cause): n} of sitemap files;
        hosts, fetches, wire_bytes, refused_more, unread_links."""

    def runs(self) -> list[tuple[int, float]]:
        """(number of the frame that told of it, when it started) of each run, in order."""

    def frame_of(self, row: HostState | RobotsCopy | Failed | HostOrder) -> int:
        """The number of the frame that told what `host`, `robots`, `retries` or `host_orders` returned."""

    def close(self) -> None: ...


class PartitionView(View, HostMemory, UrlMemory, Protocol):
    """Everything that the crawl itself reads back, of the hosts that this process owns. Always local: nothing that is
    shared between nodes is read to hand out a URL (`CLUSTER.md`, rule 9)."""


class Catalog(View, HostMemory, UrlMemory, Protocol):
    """Pages, fetches, hosts, errors of the whole crawl: what people ask about (S2)."""

    def has_ended(self, key: bytes) -> bool: ...
    def pages_of_more_links(self, than: int, most: int) -> list[tuple[str, int]]:
        """(URL, links) of up to `most` pages that have more links."""

    def refused_for(self, cause: str) -> Iterator[tuple[str, str, int, str]]:
        """(URL, host, depth, kind) of each page and sitemap file that was refused for it."""

    def refused_more(self, host: str) -> dict[str, int]:
        """Refused links of a host that were counted, not kept, by cause."""

    def hosts_of_domain(self, domain: str, most: int) -> list[str]:
        """Some that were contacted, of a registrable domain."""

    def open_circuits(self, now: float, most: int) -> list[tuple[str, int, float]]:
        """Hosts that are left alone because they fail: name, failures in a row, until when."""

    def blacklist_orders(self) -> list[Blacklisted]:
        """The newest for each domain, also where it took the domain off the list."""

    def last_run(self) -> dict[str, Any] | None:
        """started_at, version, ended_at, reason of the newest run; the last two None where it has not ended."""


Record = tuple[dict[str, str], bytes, bytes]
"""WARC fields, HTTP head, decoded body."""


class ArchiveReader(Protocol):
    """WARC records, from any thread. A record that cannot be had raises HondiusError; one that is damaged, Broken."""

    def record(self, file: str, offset: int, length: int) -> bytes:
        """The record that lies there, as it was written."""

    def read(self, file: str, offset: int, length: int, cap: int = ...) -> Record:
        """The same, decoded; of the body, `cap` bytes."""

    def size(self) -> int:
        """Bytes of all records."""


class Archive(ArchiveReader, Protocol):
    """WARC files (S3). What it appends is durable when `append` returns."""

    def append(self, fetches: Sequence["ArchivedFetch"]) -> "ArchiveReceipt": ...
    def close(self) -> None: ...


class ArchivedFetch(Protocol):
    """One exchange to keep: the native fetch, and of what it is a copy."""

    @property
    def fetched(self) -> Any: ...
    @property
    def copy_of(self) -> str | None: ...
    @property
    def copy_date(self) -> str | None: ...
    @property
    def metadata(self) -> str:
        """Lines of `application/warc-fields`, each with its line end; or empty."""

    @property
    def keep_body(self) -> bool:
        """False: the page asked not to be archived (D4); its head is kept, its body is not."""


class LinkSegments(Protocol):
    """The links of pages. What it appends is durable when `append` returns; on DiskFull nothing was appended."""

    def append(self, pages: Sequence["LinkSource"]) -> "LinkReceipt": ...
    def read(self, file: str, offset: int, index: int) -> PageLinks:
        """The links of the page that lies there; from any thread. HondiusError: they cannot be read."""

    def close(self) -> None: ...


LinkSource = tuple[bytes, str, Page | PageLinks]
"""A page whose links are kept: its key, its href, and what was read of it, now or earlier."""


class LinkReceipt(Protocol):
    @property
    def places(self) -> list[tuple[str, int, int]]:
        """(file, offset, index) of the links of each page."""

    @property
    def durable(self) -> list[tuple[str, int]]:
        """(file, length) of each file touched: the `LinksKept` events of the frame."""


class ArchiveReceipt(Protocol):
    @property
    def positions(self) -> list[tuple[str, int, int]]:
        """(file, offset, length) of the response record of each fetch."""

    @property
    def durable(self) -> list[tuple[str, int]]:
        """(file, length) of each file touched: the `Archived` events of the frame."""


class Orders(Protocol):
    """Orders to a crawl from other processes. One that no run has obeyed yet outlives them all."""

    def post(self, orders: Sequence[Order], number: int) -> None:
        """All or none. `number` orders them, the oldest first: nanoseconds, but in tests."""

    def has_any(self) -> bool:
        """Whether there are orders that no run has obeyed yet."""

    def orders(self) -> Iterator[tuple[Order, Callable[[], None]]]:
        """Each order that this object has not returned before, and what to call once it is durable."""


class Attempts(Protocol):
    """Records of what was sent, one file a run, written by the engine itself at the actual send."""

    @property
    def number(self) -> int:
        """Of the file of this run, once it is made; else 0."""

    @property
    def next_number(self) -> int:
        """Of the file that `begin` makes."""

    def newest(self) -> Sequence[Attempt]:
        """The last records of the last run that sent anything."""

    def last(self, seconds: float) -> list[Sequence[Attempt]]:
        """The last records of each run that sent a request at most `seconds` before the newest record, the oldest run
        first."""

    def begin(self) -> str:
        """Makes the file of this run. Its path below `Place.directory`."""


class Turns(Protocol):
    """Turns at addresses (P3): few requests at once and spaced, whichever hosts they are for. An address is an IP
    address without a port.

    The one port that never blocks and is never awaited: a turn begins in the same step of the event loop in which a URL
    is handed out. So asking is apart from beginning. An adapter that must ask others first, as a script in Redis does
    for gap and count, does that in the background: meanwhile `ask` tells when to come again. Once it has the turn, it
    keeps it for a while, and `ask` says that it may begin at once. That may cost time, never politeness.
    """

    def ask(self, address: str, now: float) -> float:
        """When a request may start there, or when to ask again. `now` or earlier: `begin` may follow, if nothing is
        awaited in between."""

    def come_back_at(self, address: str, now: float) -> float:
        """`ask`, for one of several hosts that share the address: where it is taken, a time for this asker alone, so
        that they come back one after the other."""

    def begin(self, address: str, host: str, now: float) -> None:
        """A turn begins, for a request to this host."""

    def cancel(self, address: str, host: str) -> None:
        """The turn is over and nothing was sent: the gap is as it was before, unless another host began one since."""

    def leave(self, address: str) -> None:
        """The turn is over."""


class Lock(AbstractContextManager["Lock"], Protocol):
    """Held until `close`, or to the end of the process, however it comes."""

    def close(self) -> None: ...


class Place(Protocol):
    """Where a crawl lies. Opens its stores, each time anew; whoever writes holds the lock."""

    @property
    def name(self) -> str:
        """As the user named it, for messages."""

    @property
    def directory(self) -> Path:
        """Where this machine keeps files of the crawl that are no store's: those that the engine writes, and logs."""

    @property
    def disk(self) -> Disk: ...
    def exists(self, advice: str) -> bool:
        """Whether a crawl lies here. BadDirectory, which ends with `advice`: something else does."""

    @property
    def has_settings(self) -> bool: ...
    def read_settings(self, most: int) -> bytes:
        """Of a crawl that exists."""

    def write_settings(self, text: bytes, *, are_secret: bool) -> None: ...
    def read_note(self, name: str, most: int) -> bytes | None:
        """What was last written down under this name for other processes; None: nothing that can be read."""

    def write_note(self, name: str, data: bytes) -> None:
        """Whole or not at all, and not durable: news, not truth. Where there is no room, the old one stays."""

    @property
    def is_writable(self) -> bool:
        """False on a medium, or for a user, that can only read."""

    def lock(self, *, shared: bool = False) -> Lock:
        """DirectoryInUse: another process has it."""

    def holder(self) -> int | None:
        """The process that has the lock, 0 where its number is not known; None: nobody has."""

    def orders(self) -> Orders: ...
    def attempts(self) -> Attempts: ...
    def open_turns(self, *, gap: float, most: int, is_spaced: bool, clock: Clock) -> Turns:
        """`gap`: seconds between two starts at one address, if they are to be spaced (`is_spaced`); `most`: requests
        there at once."""

    def changed_at(self) -> float:
        """When the log or the attempts were last written to, by the wall clock; 0: never."""

    def open_log(self, *, segment_bytes: int | None = None, read_only: bool = False) -> Log: ...
    def open_urls(
        self, *, capacity: int, memory: int, limits: HostLimits | None = None, must_exist: bool = False
    ) -> UrlStore:
        """BrokenView: it cannot be opened, and a new one could be. DiskFull; HondiusError: neither can."""

    def open_views(self) -> tuple[PartitionView, Catalog]:
        """For writing. One object may be both."""

    def open_catalog(self) -> Catalog:
        """For reading, also beside a running crawl. BrokenView: there is none, or it cannot be read."""

    def open_scratch_catalog(self) -> AbstractContextManager[Catalog]:
        """An empty one, which is gone at the end."""

    def open_scratch_place(self) -> AbstractContextManager["Place"]:
        """A place of this world for a crawl of its own, which is gone at the end."""

    def open_archive(
        self, durable: Mapping[str, int], *, operator: str, file_bytes: int | None = None, clock: Clock
    ) -> Archive: ...
    def open_reader(self) -> ArchiveReader: ...
    def open_links(self, durable: Mapping[str, int], *, identity: Identity, clock: Clock) -> LinkSegments: ...
    def discard(self, view: str) -> None:
        """Removes a view that is broken, by the name that BrokenView has for it. OSError where that fails."""

    def clear_away(self) -> None:
        """Removes what a rebuild or a check that was cut short left over."""


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

    @property
    def views(self) -> Sequence[View]:
        """Those that frames are applied to, beside the URL store; the crawl's own first."""
        return (self.view,) if self.view is self.catalog else (self.view, self.catalog)
