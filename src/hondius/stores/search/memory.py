"""The search index of a crawl in memory."""

import threading

from hondius.errors import DirectoryInUse
from hondius.position import Cursor
from hondius.search_model import Found, SearchQuery
from hondius.stores.search.opened import IndexWriter, OpenedIndex
from hondius.stores.search.schema import open_index


class MemorySearchIndex:
    """All who open the crawl share this object."""

    is_temporary = False

    def __init__(self) -> None:
        self._index = open_index(None)
        self._opened: OpenedIndex | None = None
        self._writing = threading.Lock()

    def refresh(self) -> Cursor | None:
        if self._opened is not None:
            self._opened.refresh()
        return None if self._opened is None else self._opened.cursor

    def count(self) -> int:
        return 0 if self._opened is None else self._opened.count()

    def list_keys(self) -> list[bytes]:
        return [] if self._opened is None else self._opened.list_keys()

    def search(self, query: SearchQuery, *, limit: int, offset: int) -> Found:
        return Found(0, []) if self._opened is None else self._opened.search(query, limit=limit, offset=offset)

    def begin(self, cursor: Cursor, *, anew: bool) -> IndexWriter:
        if not self._writing.acquire(blocking=False):
            raise DirectoryInUse("the search index is being written by another thread: try again later")
        if anew or self._opened is None:
            self._index, self._opened = open_index(None), None
        writer = IndexWriter(self._index, self._writing.release)
        if self._opened is None:
            writer.commit(cursor)
            self._opened = OpenedIndex(self._index)
        return writer

    def close(self) -> None:
        """It lives as long as the crawl."""
