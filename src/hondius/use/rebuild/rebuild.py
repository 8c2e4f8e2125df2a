"""Log → crawl.db and urls/."""

import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from hondius.crawler.commit import catch_up
from hondius.errors import BrokenLog, HondiusError
from hondius.native import UrlStore
from hondius.settings import Settings
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.log.embedded import EmbeddedLog

Progress = Callable[[int, int], None]
_SQLITE_FILES = ("", "-wal", "-shm")


def rebuild_views(directory: Path, settings: Settings, progress: Progress | None = None) -> int:
    """Returns how many frames were applied. The caller holds the directory's lock."""
    try:
        _clear_away(directory)
        frames = _build(directory, settings, progress)
        _exchange_catalog(directory)
        _exchange_urls(directory)
        _clear_away(directory)
    except OSError as error:
        raise HondiusError(f"{error.filename or directory}: {error.strerror}") from error
    return frames


def _build(directory: Path, settings: Settings, progress: Progress | None) -> int:
    with ExitStack() as stack:
        disk = EmbeddedDisk(directory)
        stack.callback(disk.close)
        log = EmbeddedLog(disk)
        stack.callback(log.close)
        _refuse_lost_frames(directory, log)
        stores = settings.stores
        urls = UrlStore(str(directory / "urls.new"), capacity=stores.expected_urls, memory=stores.store_memory)
        stack.callback(urls.close)
        catalog = EmbeddedCatalog.open(directory / "crawl.db.new")
        stack.callback(catalog.close)
        return catch_up(log, urls, catalog, progress)


def _refuse_lost_frames(directory: Path, log: EmbeddedLog) -> None:
    """A catalog that has seen more than the log holds is the last witness of what was lost: it is not thrown away."""
    path = directory / "crawl.db"
    if not path.is_file():
        return
    try:
        catalog = EmbeddedCatalog.open(path, read_only=True)
    except HondiusError:
        return
    applied = catalog.applied
    catalog.close()
    if applied > log.last_sequence:
        raise BrokenLog(
            f"the log ends at frame {log.last_sequence:,}, but crawl.db has seen frame {applied:,}: frames were lost; "
            "put log/ back from a copy, or move crawl.db and urls/ elsewhere to go on with what is left"
        )


def _exchange_catalog(directory: Path) -> None:
    """The database goes before its write-ahead log: SQLite throws away a log without a database, but would play it
    into another one of that name."""
    for suffix in _SQLITE_FILES:
        (directory / f"crawl.db{suffix}").unlink(missing_ok=True)
    (directory / "crawl.db.new").rename(directory / "crawl.db")


def _exchange_urls(directory: Path) -> None:
    if (directory / "urls").exists():
        (directory / "urls").rename(directory / "urls.old")
    (directory / "urls.new").rename(directory / "urls")


def _clear_away(directory: Path) -> None:
    """What this rebuild, or one that was cut short, left over."""
    for suffix in _SQLITE_FILES:
        (directory / f"crawl.db.new{suffix}").unlink(missing_ok=True)
    for name in ("urls.new", "urls.old"):
        if (directory / name).exists():
            shutil.rmtree(directory / name)
