"""The files of the views in a crawl directory: their names, and how they are removed.

Everything removed here can be rebuilt from the log. Nothing here touches the log or the archive.
"""

import os
import shutil
from pathlib import Path

CATALOG, URLS, SEARCH, NEAR, DEEP_TEXTS = "crawl.db", "urls", "search", "near", "deep-texts.db"
_SQLITE_FILES = ("", "-wal", "-shm", "-journal")
"""Hondius never writes a journal, but SQLite would replay one from a stranger."""


def discard_catalog(directory: Path) -> None:
    """Removes the database before its write-ahead log: SQLite discards a log without a database, but would replay it
    into a new database of that name."""
    for suffix in _SQLITE_FILES:
        (directory / f"{CATALOG}{suffix}").unlink(missing_ok=True)


def discard_urls(directory: Path) -> None:
    """Renames the directory first: a half-removed store must never be opened."""
    _remove(directory / f"{URLS}.old")
    if os.path.lexists(directory / URLS):
        (directory / URLS).rename(directory / f"{URLS}.old")
        _remove(directory / f"{URLS}.old")


def discard_near(directory: Path) -> None:
    """Removes the list of its files first: a half-removed index must never be opened."""
    if not (directory / NEAR).is_symlink():
        (directory / NEAR / "manifest").unlink(missing_ok=True)
    _remove(directory / NEAR)


def discard_texts(directory: Path) -> None:
    for suffix in _SQLITE_FILES:
        (directory / f"{DEEP_TEXTS}{suffix}").unlink(missing_ok=True)


def has_search_index(directory: Path) -> bool:
    return (directory / SEARCH / "meta.json").is_file()


def discard_search_index(directory: Path) -> None:
    """The next search builds it again."""
    if not (directory / SEARCH).is_symlink():
        (directory / SEARCH / "meta.json").unlink(missing_ok=True)
    _remove(directory / SEARCH)


def clear_away(directory: Path) -> None:
    """Removes files that an interrupted rebuild or check left behind."""
    for suffix in _SQLITE_FILES:
        (directory / f"{CATALOG}.new{suffix}").unlink(missing_ok=True)
    olds = (f"{URLS}.new", f"{URLS}.old", f"{NEAR}.new")
    for left in (*(directory / name for name in olds), *directory.glob(".verify-*")):
        _remove(left)


def _remove(left: Path) -> None:
    if left.is_dir() and not left.is_symlink():
        shutil.rmtree(left)
    else:
        left.unlink(missing_ok=True)
