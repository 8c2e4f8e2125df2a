"""Rebuilds crawl.db, urls/ and near/ from the log, and missing links from the archive."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from hondius.clock import SystemClock
from hondius.crawler.commit import catch_up
from hondius.crawler.translation import make_limits
from hondius.errors import Broken, BrokenLog, BrokenView, DiskFull, HaltedView, HondiusError
from hondius.hints import suggest_salvage, suggest_trustworthy_log
from hondius.native import NativeError
from hondius.ports import Log, UrlStore
from hondius.settings import Settings
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.log.opening import open_log
from hondius.stores.near.index import open_index
from hondius.stores.urls.opening import open_all_urls
from hondius.stores.view_files import NEAR, clear_away, discard_catalog, discard_near, discard_search_index
from hondius.use.rebuild.links import LinkRestorer, RestoredLinks

NEW_URLS, NEW_NEAR = "urls.new", "near.new"
VIEWS = "crawl.db, urls/ and near/"
"""The rebuilt views, as named in messages."""
Progress = Callable[[int, int], None]


class RebuildResult(NamedTuple):
    frames: int
    """Frames that were applied."""
    links: RestoredLinks


def rebuild_views(directory: Path, settings: Settings, progress: Progress | None = None) -> RebuildResult:
    """The caller must hold the lock of the directory."""
    try:
        clear_away(directory)
        discard_search_index(directory)
        rebuilt = _build(directory, settings, progress)
        _replace_catalog(directory)
        _replace_urls(directory)
        _replace_near(directory)
        clear_away(directory)
    except OSError as error:
        raise HondiusError(f"{error.filename or directory}: {error.strerror}") from error
    except HaltedView as halted:
        raise DiskFull(f"no room left for {directory / NEW_URLS}; make room") from halted
    except BrokenView as broken:
        raise Broken(
            f"{broken.view} was just built, and {broken.reason}: {suggest_trustworthy_log(directory)}"
        ) from broken
    return rebuilt


def _build(directory: Path, settings: Settings, progress: Progress | None) -> RebuildResult:
    with ExitStack() as stack:
        disk = EmbeddedDisk(directory)
        stack.callback(disk.close)
        log = open_log(disk, segment_bytes=settings.stores.log_bytes)
        stack.callback(log.close)
        _refuse_lost_frames(directory, log)
        stores = settings.stores
        urls = open_all_urls(
            directory / NEW_URLS,
            log.partitions,
            capacity=stores.expected_urls,
            memory=stores.store_memory,
            limits=make_limits(settings),
        )
        stack.callback(_save, urls, directory / NEW_URLS)
        catalog = EmbeddedCatalog.open(directory / "crawl.db.new")
        stack.callback(catalog.close)
        near = open_index(directory / NEW_NEAR, settings.near.similarity) if settings.near.enabled else None
        if near is not None:
            stack.callback(near.close)
        frames = catch_up(log, urls, (catalog,) if near is None else (catalog, near), progress)
        return RebuildResult(frames, LinkRestorer(disk, log, urls, catalog, settings, SystemClock()).run())


def _save(urls: UrlStore, path: Path) -> None:
    try:
        urls.close()
    except NativeError as error:
        raise HondiusError(f"{path} could not be saved ({error}); the old views are unchanged") from error


def _refuse_lost_frames(directory: Path, log: Log) -> None:
    """A catalog with more frames than the log is the only trace of the lost frames: do not replace it."""
    path = directory / "crawl.db"
    if not path.is_file():
        return
    try:
        catalog = EmbeddedCatalog.open(path, read_only=True)
    except HondiusError:
        return
    applied, is_ours = catalog.applied, log.identity in (0, catalog.log)
    catalog.close()
    if applied > log.end.frames and is_ours:
        raise BrokenLog(
            f"the log ends at frame {log.end.frames:,}, but crawl.db has frame {applied:,}: frames were lost; "
            + suggest_salvage(directory)
        )


def _replace_catalog(directory: Path) -> None:
    discard_catalog(directory)
    (directory / "crawl.db.new").rename(directory / "crawl.db")


def _replace_urls(directory: Path) -> None:
    if os.path.lexists(directory / "urls"):
        (directory / "urls").rename(directory / "urls.old")
    (directory / NEW_URLS).rename(directory / "urls")


def _replace_near(directory: Path) -> None:
    discard_near(directory)
    if (directory / NEW_NEAR).is_dir():
        (directory / NEW_NEAR).rename(directory / NEAR)
