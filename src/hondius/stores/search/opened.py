"""Reads and writes one index."""

import logging
from collections.abc import Callable
from typing import TypeVar

import msgspec
import tantivy
from tantivy import Order, Query

from hondius.errors import BadSetting, BrokenIndex, DiskFull
from hondius.native import PanicException
from hondius.position import Cursor
from hondius.search_model import Found, IndexedPage, SearchQuery
from hondius.stores.search.documents import MARK, make_document, make_mark, read_mark, read_page
from hondius.stores.search.queries import make_query
from hondius.stores.search.schema import AT, SCHEMA, VERSION

HEAP = 64 * 1024 * 1024
"""Bytes of words that the writer holds before it writes a segment."""
_DAMAGE = (ValueError, OSError, RuntimeError, msgspec.MsgspecError, PanicException)
"""What tantivy raises for any failure. Only a damaged index makes a search fail."""
_TOO_MANY = "exceeded max expansions"
"""tantivy tries at most 16,384 words for the beginning of a word at the end of a phrase."""
_FULL = ("No space left on device", "os error 28", "StorageFull")
_log = logging.getLogger("hondius.stores")
Result = TypeVar("Result")


class OpenedIndex:
    """An index that is complete up to its cursor."""

    def __init__(self, index: tantivy.Index) -> None:
        """Raises BrokenIndex if it has no mark of this version."""
        self._index = index
        self.refresh()

    def refresh(self) -> None:
        """Reads what was committed since."""
        _try(self._index.reload)
        self.cursor = _try(self._read_cursor)

    def count(self) -> int:
        return self._index.searcher().num_docs - 1  # the mark is no page

    def list_keys(self) -> list[bytes]:
        searcher = self._index.searcher()
        hits = searcher.search(Query.all_query(), limit=max(1, searcher.num_docs)).hits
        documents = (searcher.doc(address) for _, address in hits)
        return sorted(read_page(one).key for one in documents if not _is_mark(one))

    def search(self, query: SearchQuery, *, limit: int, offset: int) -> Found:
        """A query that cannot be made is a bug, not damage. Raises BadSetting if it finds too many words."""
        made, by = make_query(query), None if query.wanted else AT
        searcher = self._index.searcher()
        result = _try(lambda: searcher.search(made, limit, offset=offset, order_by_field=by, order=Order.Desc))
        hits = ((0.0 if by else score, _read_page(searcher, address)) for score, address in result.hits)
        return Found(result.count, hits)  # type: ignore[attr-defined]

    def _read_cursor(self) -> Cursor:
        searcher = self._index.searcher()
        hits = searcher.search(Query.term_query(SCHEMA, "key", MARK, "basic"), 1).hits
        mark = read_mark(searcher.doc(hits[0][1])) if hits else None
        if mark is None or mark.version != VERSION:
            raise BrokenIndex(f"the search index is of version {mark and mark.version}, not {VERSION}")
        return mark.cursor


class IndexWriter:
    """Adds and removes pages. Nothing is visible, and nothing survives a kill, before `commit`."""

    def __init__(self, index: tantivy.Index, on_close: Callable[[], None]) -> None:
        self._on_close = on_close
        self._writer = _try(lambda: index.writer(HEAP, 1))

    def put(self, page: IndexedPage) -> None:
        """Replaces the page of the same key."""
        self.remove(page.key)
        _try(lambda: self._writer.add_document(make_document(page)))

    def remove(self, key: bytes) -> None:
        _try(lambda: self._writer.delete_documents_by_term("key", key.hex()))

    def commit(self, cursor: Cursor) -> None:
        """Returns when everything is durable, together with the cursor."""
        _try(lambda: self._writer.delete_documents_by_term("key", MARK))
        _try(lambda: self._writer.add_document(make_mark(cursor)))
        _try(self._writer.commit)

    def close(self) -> None:
        """What was not committed is dropped. Waits for merges, which make the next searches faster."""
        try:
            self._writer.wait_merging_threads()
        except _DAMAGE as error:
            _log.info("the writer of the search index ended with: %s", error)
        finally:
            self._on_close()


def _read_page(searcher: tantivy.Searcher, address: tantivy.DocAddress) -> IndexedPage:
    return _try(lambda: read_page(searcher.doc(address)))


def _is_mark(document: tantivy.Document) -> bool:
    try:
        read_mark(document)
    except msgspec.MsgspecError:
        return False
    return True


def _try(action: Callable[[], Result]) -> Result:
    """Raises BrokenIndex, DiskFull, or BadSetting."""
    try:
        return action()
    except BrokenIndex:
        raise
    except _DAMAGE as error:
        if _TOO_MANY in str(error):
            raise BadSetting(
                "thousands of words begin like the last word of a phrase in this query: write more letters of it"
            ) from error
        if any(word in str(error) for word in _FULL):
            raise DiskFull("the disk is full, so the search index cannot be written: make room") from error
        raise BrokenIndex(f"the search index cannot be read: {error}") from error
