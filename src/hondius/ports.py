"""The doors between rooms: what a stage may ask of a store, and of the world.

Every port has one contract suite (`tests/contracts/`) that runs against each of its adapters.
Blocking methods are called on a worker thread by the commit and at start-up only.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from hondius.model import AnyEvent, Blacklisted, Failed, Finished, Frame, HostOrder, HostState, LeftOut, RobotsCopy
from hondius.native import Page, PageLinks


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


class Log(Protocol):
    """The truth: frames in order."""

    @property
    def place(self) -> str:
        """Of the disk that it lies on."""

    @property
    def last_sequence(self) -> int: ...
    @property
    def identity(self) -> int:
        """Of its first frame, which no other log has: a view is of one log. 0 where there is none that can be read."""

    def append(self, events: Sequence[AnyEvent], at: float) -> Frame:
        """Durable when it returns. On DiskFull nothing was appended."""

    def read(self, after: int = 0) -> Iterator[Frame]: ...
    def close(self) -> None: ...


class Catalog(Protocol):
    """Pages, fetches, hosts, errors: what people ask about (S2). A view."""

    @property
    def applied(self) -> int: ...
    @property
    def log(self) -> int:
        """The identity of the log whose frames were applied."""

    def apply(self, frames: Sequence[Frame]) -> int:
        """Never fails because of what an event holds. Returns how many events a bug kept from being shown as is."""

    def page(self, key: bytes) -> dict[str, Any] | None: ...
    def fetches(self, key: bytes) -> list[dict[str, Any]]:
        """Its history, the oldest first."""

    def pages(self, states: Sequence[str] = ()) -> Iterator[dict[str, Any]]: ...
    def pages_of_more_links(self, than: int, most: int) -> list[tuple[str, int]]:
        """(URL, links) of up to `most` pages that have more links."""

    def host(self, host: str) -> HostState | None: ...
    def longest_crawl_delay(self) -> float:
        """That any host asked for; a minute at the least."""

    def hosts_at(self, address: str, most: int) -> int:
        """How many hosts were contacted there; counted up to `most`."""

    def hosts_below(self, domain: str, most: int) -> int:
        """How many hosts of a registrable domain were contacted; counted up to `most`."""

    def fetched_of_domain(self, domain: str) -> int:
        """Answers of all hosts of a registrable domain, but for robots.txt and recrawls."""

    def refused_more(self, host: str) -> dict[str, int]:
        """Refused links of a host that were counted, not kept, by cause."""

    def robots(self, origin: str) -> RobotsCopy | None: ...
    def failed_seeds(self, most: int) -> list[tuple[str, str, str]]:
        """(URL, cause, detail) of up to `most` seeds, or targets of their redirects, that had no good answer."""

    def seeds_without_answer(self) -> Iterator[tuple[str, bytes, str]]:
        """(URL, key, via) of all such seeds that might end otherwise with other settings."""

    def retries(self, most: int) -> list[Failed]:
        """Of up to `most` queued URLs that have failed: how often, and when they may be tried again."""

    def retry(self, key: bytes) -> Failed | None:
        """The same of one URL."""

    def frame_of(self, row: HostState | RobotsCopy | Failed | HostOrder) -> int:
        """The number of the frame that told what `host`, `robots`, `retries` or `host_orders` returned."""

    def runs(self) -> list[tuple[int, float]]:
        """(number of the frame that told of it, when it started) of each run, in order."""

    def blacklist(self) -> list[Blacklisted]: ...
    def host_orders(self) -> list[HostOrder]:
        """The newest order for each host that has one."""

    def scope(self) -> Iterator[str]:
        """Hrefs of seeds and of where their redirects led, in their order: texts of a few thousand lines, one each."""

    def unfinished_seeds(self) -> list[tuple[str, int]]:
        """Sources of which not all seeds were taken: their names, and how many were."""

    def has_left_out(self) -> bool:
        """Whether anything is listed that led out of the scope and was not judged again."""

    def left_out(self, most: int) -> list[LeftOut]:
        """Up to `most` that led out of a scope that has grown since, the oldest first. A sitemap is listed with its
        first piece, but not returned before its end is known."""

    def unreachable(self, most: int) -> list[tuple[str, str]]:
        """Origins whose robots.txt cannot be had, so that their URLs wait; and why."""

    def archived(self) -> dict[str, int]:
        """WARC file → durable length."""

    def link_segments(self) -> dict[str, int]:
        """Link segment → durable length."""

    def link_places(self, file: str) -> Iterator[tuple[int, int, bytes, str]]:
        """(offset, index, key, URL) of each page whose links lie in that segment, in this order."""

    def last_run(self) -> dict[str, Any] | None:
        """started_at, version, ended_at, reason of the newest run; the last two None where it has not ended."""

    def totals(self) -> dict[str, Any]:
        """Of pages, states: {state: n} and causes: {(state, cause): n}; sitemaps: {(state, cause): n} of sitemap files;
        hosts, fetches, wire_bytes, refused_more, unread_links."""

    def close(self) -> None: ...


class ArchiveRecords(Protocol):
    """WARC files, to be read."""

    def record(self, file: str, offset: int, length: int) -> bytes:
        """The record that lies there, as it was written; from any thread. HondiusError: it is not to be had."""


class Archive(ArchiveRecords, Protocol):
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


def finished_events(events: Iterable[AnyEvent]) -> Iterator[Finished]:
    return (event for event in events if isinstance(event, Finished))
