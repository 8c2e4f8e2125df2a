"""Removes old bodies from the archive of a crawl that is not running (S9).

Bodies leave by files: a WARC file is copied without them, one frame of the log says where its records are now, the
views apply it, and the old file is removed. A kill before the frame leaves a copy that no frame records, and a kill
after it an old file that no frame records any more: the next opening removes either.

What is old is decided by content. A body stays while any fetch of the same content is younger than the limit, or
pinned, or indexed: a revisit record has no body of its own, so what it points to stays as long as it does.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from hondius.crawler.commit import Outcome, append_outcome, apply_to_urls
from hondius.crawler.store_opening import UNWATCHED, Watch, open_stores
from hondius.errors import DiskFull, HondiusError
from hondius.model import Archived, Rewritten
from hondius.moves import encode_moves
from hondius.ports import Catalog, Place, Rewriting, StoredRecord, Stores
from hondius.quantities import format_count
from hondius.settings import RetentionSettings, Settings
from hondius.url_pattern import UrlPattern

DAY = 86_400.0
PREFIX = 8
"""Bytes of hashes and keys that are compared. Two contents with the same prefix stay longer than they need."""
ROBOTS = "/robots.txt"
NOTE, LONGEST_NOTE = "retained.txt", 64
"""When a run last removed old bodies: seconds since the epoch."""

Row = dict[str, Any]


@dataclass(slots=True)
class Retained:
    """What was removed, or would be."""

    bodies: int = 0
    """Fetches whose body is removed, revisits of them included."""
    files: int = 0
    """WARC files that are rewritten."""
    bytes_before: int = 0
    """Of these files."""
    bytes_after: int | None = None
    """None if nothing was done."""


class Numbers:
    """A set of 64-bit numbers, in eight bytes each."""

    def __init__(self, values: Iterable[int] = ()) -> None:
        self._values = array("Q", sorted(values))

    def __contains__(self, value: int) -> bool:
        at = bisect_left(self._values, value)
        return at < len(self._values) and self._values[at] == value

    def __len__(self) -> int:
        return len(self._values)


@dataclass(slots=True)
class FileContent:
    """The fetches in one WARC file."""

    listed: "array[int]" = field(default_factory=lambda: array("Q"))
    """Where their records are."""
    expired: "array[int]" = field(default_factory=lambda: array("Q"))
    """Those whose bodies are removed."""


def retain(
    place: Place,
    settings: Settings,
    now: float,
    *,
    is_dry_run: bool = False,
    watch: Watch = UNWATCHED,
    may_go_on: Callable[[], bool] = lambda: True,
) -> Retained:
    """The caller holds the lock of the crawl. `may_go_on` is asked before a file is rewritten."""
    retained = Retained()
    days = settings.retention.body_days
    if days is None:
        return retained
    with ExitStack() as stack:
        stores = open_stores(stack, place, settings, watch)
        limit = now - days * DAY
        keepers = find_keepers(stores, settings.retention, limit)
        lengths = stores.catalog.archived()
        contents = _find_expired(stores.catalog, keepers, limit)
        for file, content in sorted(contents.items()):
            if not content.expired or file not in lengths or not stores.archive.has(file):
                continue
            if not may_go_on():
                break
            retained.bodies += len(content.expired)
            retained.files += 1
            retained.bytes_before += lengths[file]
            if not is_dry_run:
                if retained.bytes_after is None:
                    place.discard_texts()
                written = _rewrite(stores, file, lengths[file], content, limit, now)
                retained.bytes_after = (retained.bytes_after or 0) + written.length
    return retained


def retain_when_due(place: Place, settings: Settings, now: float, watch: Watch, may_go_on: Callable[[], bool]) -> None:
    """Once a day, after a run has closed the stores. A full disk is no failure of the run."""
    if settings.retention.body_days is None or not place.has_settings or now - _read_last(place) < DAY:
        return
    try:
        retained = retain(place, settings, now, watch=watch, may_go_on=may_go_on)
    except DiskFull as error:
        watch.notice(f"old bodies stay in the archive for now: {error}")
        return
    place.write_note(NOTE, str(now).encode())
    if retained.bytes_after is not None:
        days, files = settings.retention.body_days, format_count(retained.files, "WARC file")
        watch.notice(f"bodies older than {days:g} days were removed from {files}")


def _read_last(place: Place) -> float:
    """0: never, or nobody knows."""
    try:
        return float(place.read_note(NOTE, LONGEST_NOTE) or b"0")
    except ValueError:
        return 0.0


@dataclass(frozen=True, slots=True)
class Keepers:
    """Whose bodies stay."""

    contents: Numbers
    """Content that a young fetch has, or a page that is pinned or indexed."""
    pinned: Numbers
    """Keys of pages of which all bodies stay."""

    def keep(self, fetch: Row) -> bool:
        content = fetch["content_hash"]
        return (content is not None and _shorten(content) in self.contents) or _shorten(fetch["key"]) in self.pinned


def find_keepers(stores: Stores, settings: RetentionSettings, limit: float) -> Keepers:
    contents = array("Q", _list_young_contents(stores.catalog, limit))
    patterns = [UrlPattern(pattern) for pattern in settings.pinned]
    indexed = Numbers(map(_shorten, _list_indexed(stores))) if settings.keep_indexed else Numbers()
    pinned = array("Q")
    if patterns or indexed:
        for key, url, content in stores.catalog.read_columns(("key", "url", "content_hash")):
            if any(pattern.matches(url) for pattern in patterns):
                pinned.append(_shorten(key))
            elif _shorten(key) not in indexed:
                continue
            if content is not None:
                contents.append(_shorten(content))
    return Keepers(Numbers(contents), Numbers(pinned))


def _list_young_contents(catalog: Catalog, limit: float) -> Iterator[int]:
    for fetch in catalog.list_all_fetches():
        if fetch["content_hash"] is not None and not _is_old(fetch, limit):
            yield _shorten(fetch["content_hash"])


def _list_indexed(stores: Stores) -> list[bytes]:
    """Empty if there is no index."""
    if not stores.place.has_search_index:
        return []
    try:
        index = stores.place.open_search_index()
    except ImportError as error:
        raise HondiusError(
            f"{stores.place.name} has a search index that cannot be read here ({error}): install hondius[search], or "
            "use --set retention.keep_indexed=false"
        ) from error
    try:
        return index.list_keys() if index.refresh() is not None else []
    finally:
        index.close()


def _find_expired(catalog: Catalog, keepers: Keepers, limit: float) -> dict[str, FileContent]:
    contents: dict[str, FileContent] = {}
    for fetch in catalog.list_all_fetches():
        if fetch["warc_file"] is None:
            continue
        content = contents.setdefault(fetch["warc_file"], FileContent())
        content.listed.append(fetch["warc_offset"])
        if fetch["body_removed_at"] is None and _is_old(fetch, limit) and not keepers.keep(fetch):
            content.expired.append(fetch["warc_offset"])
    return contents


def _is_old(fetch: Row, limit: float) -> bool:
    at = fetch["started_at"] if fetch["started_at"] is not None else fetch["ended_at"]
    return at is not None and at < limit


def _shorten(value: bytes) -> int:
    return int.from_bytes(value[:PREFIX], "little")


def _rewrite(stores: Stores, file: str, length: int, content: FileContent, limit: float, now: float) -> Rewriting:
    listed, expired, before = Numbers(content.listed), Numbers(content.expired), _format_date(limit)

    def is_unwanted(record: StoredRecord) -> bool:
        """A record that no fetch names (an answer that was retried) goes by its own date. robots.txt files are small,
        and say what was allowed."""
        if record.offset in listed:
            return record.offset in expired
        return record.date < before and not record.target.endswith(ROBOTS)

    written = stores.archive.rewrite(file, length, is_unwanted)
    rewritten = Rewritten(now, file, written.into, len(written.moves), encode_moves(written.moves))
    try:
        outcome = Outcome([Archived(written.into, written.length), rewritten])
        frames = append_outcome(stores.log, stores.urls, outcome, now)
    except DiskFull:
        stores.archive.remove(written.into)
        raise
    for frame in frames:
        apply_to_urls(stores.urls, frame)
        for view in stores.views:
            view.apply([frame])
    stores.archive.remove(file)
    return written


def _format_date(at: float) -> str:
    return datetime.fromtimestamp(max(0.0, at), UTC).strftime("%Y%m%d%H%M%S")
