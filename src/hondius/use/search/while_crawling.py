"""Keeps the search index, and an OpenSearch server, up to date while a crawl runs: a thread for each.

They follow the log, so the crawl never waits for them, and memory stays flat however far they are behind. When the
crawl is over they read the rest, unless it was interrupted: the next run or the next search continues.
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from hondius.errors import DirectoryInUse, HondiusError
from hondius.opening import Crawl
from hondius.ports import Place
from hondius.settings.search import SearchSettings
from hondius.use.extras import import_extra
from hondius.use.search.indexed_text import WITHOUT_TEXT
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
        self._work: list[Callable[[], None]] = []
        if settings.index:
            import_extra("tantivy", "search", NEEDED)
            self._work.append(self._index)
        self._server: Server | None = open_server(settings) if settings.opensearch else None
        self._sink: OpenSearchSink | None = None
        if self._server is not None:
            self._sink = OpenSearchSink(place, self._server, self._stopped)
            self._work.append(self._send)
        self._threads = ThreadPoolExecutor(len(self._work), "hondius-search") if self._work else None
        self._tasks: list[asyncio.Future[None]] = []

    def begin(self) -> None:
        """The stores of the crawl must be open."""
        if self._threads is not None:
            loop = asyncio.get_running_loop()
            self._tasks = [loop.run_in_executor(self._threads, self._run, work) for work in self._work]

    async def finish(self, *, is_interrupted: bool) -> None:
        """The crawl is over. Returns when everything is indexed and sent; at once if it was interrupted."""
        if self._sink is not None:
            self._sink.patience = PATIENCE_AFTER
        if is_interrupted:
            self.stop()
        await asyncio.gather(*self._tasks)
        if self._threads is not None:
            self._threads.shutdown()

    def stop(self) -> None:
        """From any thread."""
        self._stopped.set()

    def _run(self, work: Callable[[], None]) -> None:
        """An error ends this thread alone: the crawl is worth more than its index."""
        try:
            work()
        except HondiusError as error:
            self._say(f"warning: {error}")
        except Exception:
            _log.exception("the search index was not completed")
            self._say("warning: the search index was not completed (see crawl.log): `hondius search` continues it")

    def _index(self) -> None:
        crawl = Crawl(self._place)
        with closing(crawl):
            try:
                update = IndexUpdate(self._place, crawl.search_index, self._stopped, in_parallel=False)
                update.run(follow=True)
            except DirectoryInUse:
                _log.info("another process brings the search index up to date")
                return
        if update.unread.count:
            self._say(f"warning: {update.unread.describe(WITHOUT_TEXT, self._place.name)}")

    def _send(self) -> None:
        assert self._sink is not None
        self._sink.run(follow=True)
        if self._sink.refused:
            self._say(f"warning: the OpenSearch server refused {self._sink.refused:,} pages; crawl.log has the reasons")
