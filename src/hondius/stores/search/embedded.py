"""The search index in `search/`."""

import fcntl
import logging
import os
import shutil
import tempfile
from pathlib import Path

from hondius.errors import BrokenIndex, DirectoryInUse
from hondius.files import is_regular, open_file, refuse_linked_directory
from hondius.position import Cursor
from hondius.search_model import Found, SearchQuery
from hondius.stores.search.opened import IndexWriter, OpenedIndex
from hondius.stores.search.schema import open_index

DIRECTORY = "search"
LOCK = "search.lock"
META = "meta.json"
COPIED = (META, ".managed.json")
"""Files that tantivy replaces. All others are written once."""
_log = logging.getLogger("hondius.stores")


class EmbeddedSearchIndex:
    """If the crawl cannot be written, the index is a temporary one: it begins with links to the files of the crawl's
    index, if there is one, and is removed when it is closed. tantivy needs lock files even to read."""

    def __init__(self, root: Path, *, is_writable: bool) -> None:
        self._scratch = None if is_writable else tempfile.TemporaryDirectory(prefix="hondius-search-")
        self._root = root if self._scratch is None else Path(self._scratch.name)
        self._path = self._root / DIRECTORY
        refuse_linked_directory(root / DIRECTORY)
        if self._scratch is not None:
            _mirror(root / DIRECTORY, self._path)
        self._opened: OpenedIndex | None = None
        self._seen: tuple[int, int] | None = None
        """Which commit was read last."""
        self.refresh()

    @property
    def is_temporary(self) -> bool:
        return self._scratch is not None

    def refresh(self) -> Cursor | None:
        """If that fails, another process may have begun the index anew: it is opened again."""
        for attempt in (self._read_commits, self._open):
            try:
                attempt()
                break
            except BrokenIndex as error:
                _log.info("%s: %s", self._path, error)
                self._opened = None
        return None if self._opened is None else self._opened.cursor

    def count(self) -> int:
        return 0 if self._opened is None else self._opened.count()

    def list_keys(self) -> list[bytes]:
        return [] if self._opened is None else self._opened.list_keys()

    def search(self, query: SearchQuery, *, limit: int, offset: int) -> Found:
        return Found(0, []) if self._opened is None else self._opened.search(query, limit=limit, offset=offset)

    def begin(self, cursor: Cursor, *, anew: bool) -> IndexWriter:
        lock = _lock(self._root / LOCK, self._path)
        try:
            self.refresh()
            if anew or self._opened is None:
                self._opened = None
                shutil.rmtree(self._path, ignore_errors=True)
                self._path.mkdir()
            writer = IndexWriter(open_index(str(self._path)), lambda: os.close(lock))
        except BaseException:
            os.close(lock)
            raise
        if self._opened is None:
            writer.commit(cursor)
            self.refresh()
        return writer

    def close(self) -> None:
        self._opened = None
        if self._scratch is not None:
            self._scratch.cleanup()

    def _read_commits(self) -> None:
        """Does nothing if there was no commit since: opening segments again takes longer than a search."""
        seen, self._seen = self._seen, _identify_commit(self._path)
        if self._opened is None:
            self._open()
        elif seen != self._seen:
            self._opened.refresh()

    def _open(self) -> None:
        self._opened = None
        if not is_regular(self._path / META):
            return
        if strange := [entry.name for entry in os.scandir(self._path) if not _is_expected(entry, self.is_temporary)]:
            raise BrokenIndex(f"{strange[0]} is no regular file")
        try:
            index = open_index(str(self._path))
        except (ValueError, OSError) as error:
            raise BrokenIndex(f"the search index cannot be opened: {error}") from error
        self._opened = OpenedIndex(index)


def _lock(path: Path, index: Path) -> int:
    """Held until it is closed, or the process ends in any way."""
    file = open_file(path, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise DirectoryInUse(f"{index} is being written by another process: try again later") from None
    return file


def _mirror(source: Path, target: Path) -> None:
    """Links to files, because they may be large. A file that disappears meanwhile makes the index a damaged one."""
    target.mkdir()
    if not is_regular(source / META):
        return
    for name in os.listdir(source):
        if name.endswith(".lock") or not is_regular(source / name):
            continue
        if name in COPIED:
            shutil.copyfile(source / name, target / name, follow_symlinks=False)
        else:
            (target / name).symlink_to((source / name).resolve())


def _is_expected(entry: "os.DirEntry[str]", is_temporary: bool) -> bool:
    """The links of a temporary index are our own."""
    return entry.is_file(follow_symlinks=is_temporary)


def _identify_commit(path: Path) -> tuple[int, int] | None:
    """tantivy replaces this file with each commit."""
    try:
        found = os.lstat(path / META)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns
