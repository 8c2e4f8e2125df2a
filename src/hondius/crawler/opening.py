"""Opens the stores of a crawl: cuts off what no frame knows, lets the views catch up, and makes anew a view that is
broken, or of another version. Only the log and the archive cannot be had again, and nothing here throws away either.
"""

import errno
import os
import shutil
from collections.abc import Callable
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from pathlib import Path

from hondius import __version__
from hondius.advice import to_salvage
from hondius.clock import Clock, SystemClock
from hondius.crawler.commit import catch_up
from hondius.crawler.directory import LARGEST_SETTINGS, SETTINGS_FILE
from hondius.crawler.translation import make_identity, make_limits
from hondius.errors import BadSetting, Broken, BrokenLog, BrokenView, DiskFull, HaltedView, HondiusError
from hondius.native import NativeError, UrlStore
from hondius.ports import Disk
from hondius.settings import Settings
from hondius.settings_text import settings_file
from hondius.stores.archive.embedded import EmbeddedArchive
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.links.embedded import EmbeddedLinkSegments
from hondius.stores.log.embedded import EmbeddedLog

CATALOG, URLS = "crawl.db", "urls"
_SQLITE_FILES = ("", "-wal", "-shm", "-journal")
"""Hondius never writes a journal, but SQLite would replay one that somebody else put there."""
_THE_SYSTEMS = frozenset(
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENXIO}
)
"""Refusals that a new store would meet, too. Others (a file that is missing, or there already, or short) come of a
store whose making or deletion was cut short; or of a place of the disk that cannot be read any more."""


def silent(_: str) -> None:
    """For those who open a crawl and have nobody to tell."""


@dataclass(frozen=True, slots=True)
class Watch:
    """What an opening tells while it lasts."""

    progress: Callable[[int, int], None] | None = None
    """Frames applied, of how many."""
    notice: Callable[[str], None] = silent
    """That a view is made anew, and why."""
    paused: Callable[[str], None] = silent
    """Why it waits; empty when it goes on."""


UNWATCHED = Watch()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a crawl lies: its files, and the views beside them. That of the simulation is in memory."""

    disk: Disk
    open_urls: Callable[[], UrlStore]
    open_catalog: Callable[[], EmbeddedCatalog]


@dataclass(frozen=True, slots=True)
class Stores:
    disk: Disk
    log: EmbeddedLog
    urls: UrlStore
    catalog: EmbeddedCatalog
    archive: EmbeddedArchive
    links: EmbeddedLinkSegments


def open_stores(
    stack: ExitStack | AsyncExitStack,
    directory: Path,
    settings: Settings,
    watch: Watch = UNWATCHED,
    broken: BrokenView | None = None,
) -> Stores:
    """They are closed by `stack`; the caller holds the directory's lock. `broken`: what a run that just ended found.

    A view is made anew once: one that is new and broken is the disk's doing.
    """
    made_anew: set[str] = set()
    while True:
        if broken is not None:
            if broken.view.name in made_anew:
                path = directory / broken.view.name
                raise Broken(f"{path} was just made anew, and {broken.reason}: look at the disk") from broken
            _mend(directory, broken, watch)
            if not isinstance(broken, HaltedView):
                made_anew.add(broken.view.name)
        try:
            with ExitStack() as opened:
                stores = _open(opened, directory, settings, watch)
                stack.push(opened.pop_all())
                return stores
        except HaltedView as halted:
            raise DiskFull(f"no room left for {directory / URLS}; make room") from halted
        except BrokenView as found:
            broken = found


def _mend(directory: Path, broken: BrokenView, watch: Watch) -> None:
    path = directory / broken.view.name
    if isinstance(broken, HaltedView):
        return watch.notice(f"{path} {broken.reason}: it is opened again")
    watch.notice(f"{path} {broken.reason}: it is made anew from the log")
    try:
        discard = discard_catalog if broken.view.name == CATALOG else discard_urls
        discard(directory)
    except OSError as error:
        raise HondiusError(f"{error.filename or directory}: {error.strerror}") from error


def discard_catalog(directory: Path) -> None:
    """The database goes before its write-ahead log: SQLite throws away a log without a database, but would play it
    into another one of that name."""
    for suffix in _SQLITE_FILES:
        (directory / f"{CATALOG}{suffix}").unlink(missing_ok=True)


def discard_urls(directory: Path) -> None:
    """Renamed first: half a store must never be taken for a whole one."""
    _remove(directory / f"{URLS}.old")
    if os.path.lexists(directory / URLS):
        (directory / URLS).rename(directory / f"{URLS}.old")
        _remove(directory / f"{URLS}.old")


def clear_away(directory: Path) -> None:
    """What a rebuild or a check that was cut short left over."""
    for suffix in _SQLITE_FILES:
        (directory / f"{CATALOG}.new{suffix}").unlink(missing_ok=True)
    for left in (directory / f"{URLS}.new", directory / f"{URLS}.old", *directory.glob(".verify-*")):
        _remove(left)


def open_urls(path: Path, settings: Settings) -> UrlStore:
    stores = settings.stores
    try:
        return UrlStore(
            str(path), capacity=stores.expected_urls, memory=stores.store_memory, limits=make_limits(settings)
        )
    except NativeError as error:
        if error.kind == "io" and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(f"no room left for {path}; make room") from error
        if error.kind == "corrupt" or (error.kind == "io" and error.errno not in _THE_SYSTEMS):
            raise BrokenView(path, f"cannot be opened ({error})") from error
        if error.kind == "io":
            remedy = "; change its permissions" if is_shut(error) else ""
            raise HondiusError(f"{path} cannot be opened ({error}){remedy}") from error
        raise


def is_shut(error: NativeError) -> bool:
    """It may not be read: that says nothing of what is there."""
    return error.kind == "io" and error.errno in (errno.EACCES, errno.EPERM)


def close_urls(urls: UrlStore, place: Path, watch: Watch) -> None:
    """What cannot be saved is no loss: the log has it."""
    behind = _unsaved(urls)
    try:
        urls.close()
    except NativeError as error:
        again = f"{behind:,} frame{'' if behind == 1 else 's'} of the log {'is' if behind == 1 else 'are'}"
        watch.notice(f"{place} could not be saved ({error}): nothing is lost, {again} applied again at the next start")


def _unsaved(urls: UrlStore) -> int:
    """Frames; all of them where what is on disk cannot be read, and none of a store that is closed."""
    applied = 0
    try:
        applied = urls.applied
        return applied - urls.saved()
    except NativeError:
        return applied


def _open(opened: ExitStack, directory: Path, settings: Settings, watch: Watch) -> Stores:
    clear_away(directory)
    disk = EmbeddedDisk(directory)
    opened.callback(disk.close)
    if not disk.exists(SETTINGS_FILE):
        write_settings(directory, disk, settings)
    place = Place(
        disk,
        lambda: open_urls(directory / URLS, settings),
        lambda: EmbeddedCatalog.open(directory / CATALOG),
    )
    return open_place(opened, place, settings, SystemClock(), watch)


def write_settings(directory: Path, disk: Disk, settings: Settings) -> None:
    text = settings_file(settings)
    if len(text) > LARGEST_SETTINGS:
        raise BadSetting(
            f"the settings take more than {LARGEST_SETTINGS // 1024} KiB: write fewer patterns, or a file for --resolve"
        )
    disk.replace(SETTINGS_FILE, text)
    if settings.fetch.headers or settings.fetch.proxies:  # they may hold secrets
        (directory / SETTINGS_FILE).chmod(0o600)


def open_place(
    opened: ExitStack | AsyncExitStack, place: Place, settings: Settings, clock: Clock, watch: Watch = UNWATCHED
) -> Stores:
    disk = place.disk
    log = EmbeddedLog(disk, segment_bytes=settings.stores.log_bytes)
    opened.callback(log.close)
    if log.last_sequence == 0 and disk.list("warc"):
        # The first frame of a crawl is written before its first request.
        raise BrokenLog(f"there are WARC files but the log is empty; {to_salvage(disk.place)}")
    urls = place.open_urls()
    opened.callback(close_urls, urls, Path(disk.place) / URLS, watch)
    catalog = place.open_catalog()
    opened.callback(catalog.close)
    catch_up(log, urls, catalog, watch.progress)
    archive = EmbeddedArchive(
        disk,
        durable=catalog.archived(),
        software=f"Hondius/{__version__}",
        operator=settings.fetch.contact,
        file_bytes=settings.stores.warc_bytes,
        clock=clock,
    )
    opened.callback(archive.close)
    links = EmbeddedLinkSegments(disk, durable=catalog.link_segments(), identity=make_identity(settings), clock=clock)
    opened.callback(links.close)
    return Stores(disk, log, urls, catalog, archive, links)


def _remove(left: Path) -> None:
    if left.is_dir() and not left.is_symlink():
        shutil.rmtree(left)
    else:
        left.unlink(missing_ok=True)
