"""The files of the two views in a crawl directory: their names, and how they go away.

Whatever is removed here can be made anew from the log. Nothing here touches the log or the archive.
"""

import os
import shutil
from pathlib import Path

CATALOG, URLS = "crawl.db", "urls"
_SQLITE_FILES = ("", "-wal", "-shm", "-journal")
"""Hondius never writes a journal, but SQLite would replay one that somebody else put there."""


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


def _remove(left: Path) -> None:
    if left.is_dir() and not left.is_symlink():
        shutil.rmtree(left)
    else:
        left.unlink(missing_ok=True)
