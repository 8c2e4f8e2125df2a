"""Keeps the search index, and an OpenSearch server, up to date while a crawl runs: a thread for each.

When the crawl is over they read the rest, unless it was interrupted: the next run or the next search continues.
"""

import logging
import threading
from collections.abc import Callable
from contextlib import closing

from hondius.errors import DirectoryInUse
from hondius.opening import Crawl
from hondius.ports import Place
from hondius.settings.search import SearchSettings
from hondius.use.extras import import_extra
from hondius.use.followers import Followers, Work
from hondius.use.search.opensearch import OpenSearchSink, Server, open_server
from hondius.use.search.search import NEEDED
from hondius.use.search.updating import IndexUpdate

PATIENCE_AFTER = 30.0
"""Seconds that the sink waits for its server when the crawl is over."""
_log = logging.getLogger("hondius.search")


class SearchFollowers:
    """The threads of one run."""

    def __init__(self, place: Place, settings: SearchSettings, say: Callable[[str], None]) -> None:
        """Raises WrongUse, before anything is crawled, if a setting is wrong or the optional package is missing."""
        self._place = place
        self._say = say
        self._stopped = threading.Event()
        works: list[Work] = []
        if settings.index:
            import_extra("tantivy", "search", NEEDED)
            works.append(self._index)
        self._server: Server | None = open_server(settings) if settings.opensearch else None
        self._sink: OpenSearchSink | None = None
        if self._server is not None:
            self._sink = OpenSearchSink(place, self._server, self._stopped)
            works.append(self._send)
        self._followers = Followers("the search index", "search", works, self._stopped, say)

    def begin(self) -> None:
        """The stores of the crawl must be open."""
        self._followers.begin()

    async def finish(self, *, is_interrupted: bool) -> None:
        """The crawl is over. Returns when everything is indexed and sent; at once if it was interrupted."""
        if self._sink is not None:
            self._sink.patience = PATIENCE_AFTER
        if is_interrupted:
            self.stop()
        await self._followers.finish()

    def stop(self) -> None:
        """From any thread."""
        self._followers.stop()

    def _index(self) -> None:
        crawl = Crawl(self._place)
        with closing(crawl):
            try:
                IndexUpdate(self._place, crawl.search_index, self._stopped, in_parallel=False).run(follow=True)
            except DirectoryInUse:
                _log.info("another process brings the search index up to date")

    def _send(self) -> None:
        assert self._sink is not None
        self._sink.run(follow=True)
        if self._sink.refused:
            self._say(f"warning: the OpenSearch server refused {self._sink.refused:,} pages; crawl.log has the reasons")
