"""Searches one crawl."""

import threading
from typing import Any

from hondius.errors import BadSetting, BrokenIndex, DirectoryInUse
from hondius.opening import Crawl
from hondius.ports import SearchIndex
from hondius.search_model import SearchQuery
from hondius.use.extras import import_extra
from hondius.use.search.query import parse_query
from hondius.use.search.results import Results, make_hit
from hondius.use.search.updating import IndexUpdate, Show, describe_missing_index, is_behind
from hondius.use.unread_bodies import UnreadBodies

MOST_RESULTS = 10_000
"""How deep into the results a search goes: all results before the first one that is shown are ranked, too."""
NEEDED = "searches text"


class Search:
    """The search of one crawl. May be used from several threads; one of them updates the index."""

    def __init__(self, crawl: Crawl) -> None:
        """Raises WrongUse if the optional package is missing."""
        import_extra("tantivy", "search", NEEDED)
        self._crawl = crawl
        self._updating = threading.Lock()
        self.unread = UnreadBodies()
        """Pages that the last update indexed without their text, because their body could not be read."""

    @property
    def index(self) -> SearchIndex:
        return self._crawl.search_index

    def update(self, show: Show = lambda progress: None, stopped: threading.Event | None = None) -> bool:
        """Brings the index up to date, if it is not. False if another process does that already: then what is in the
        index so far can be searched."""
        with self._updating:
            self.unread = UnreadBodies()
            if not is_behind(self._crawl, self.index):
                return True
            try:
                self._run_update(show, stopped)
            except DirectoryInUse:
                if self.index.refresh() is None:
                    raise
                return False
            return True

    def find(self, text: str, *, limit: int = 10, offset: int = 0, **conditions: Any) -> Results:
        """`conditions`: those of `parse_query`. A damaged index is rebuilt."""
        if not isinstance(limit, int) or not isinstance(offset, int):
            raise BadSetting(f"limit={limit!r}, offset={offset!r}: whole numbers are expected")
        if limit < 1 or offset < 0 or limit + offset > MOST_RESULTS:
            raise BadSetting(
                f"results {offset + 1:,} to {offset + limit:,} cannot be shown: a limit from 1 on is expected, and "
                f"results up to number {MOST_RESULTS:,}; narrow the query instead, with host: or after:"
            )
        query = parse_query(text, **conditions)
        if self.index.refresh() is None:
            raise describe_missing_index(self._crawl)
        try:
            return self._ask(query, limit, offset)
        except BrokenIndex:
            with self._updating:
                IndexUpdate(self._crawl.place, self.index).run(anew=True)
            return self._ask(query, limit, offset)

    def _ask(self, query: SearchQuery, limit: int, offset: int) -> Results:
        found = self.index.search(query, limit=limit, offset=offset)
        return Results([make_hit(score, page, query.wanted) for score, page in found.hits], found.total, offset)

    def _run_update(self, show: Show, stopped: threading.Event | None) -> None:
        try:
            self._begin_update(show, stopped).run()
        except BrokenIndex:
            self._begin_update(show, stopped).run(anew=True)

    def _begin_update(self, show: Show, stopped: threading.Event | None) -> IndexUpdate:
        update = IndexUpdate(self._crawl.place, self.index, stopped, show)
        self.unread = update.unread
        return update
