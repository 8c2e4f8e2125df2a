"""Brings the search index up to date: the named consumer `search`."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass

from hondius import consumer_names
from hondius.errors import Broken, HondiusError
from hondius.opening import Crawl
from hondius.ports import Place, SearchIndex, SearchWriter
from hondius.position import Cursor
from hondius.search_model import IndexedPage
from hondius.use.content import Contents, Row
from hondius.use.export.parallel import map_in_order
from hondius.use.search.indexed_text import is_indexed, make_indexed_page
from hondius.use.search.log_batches import Batch, Interrupted, LogBatches
from hondius.use.unread_bodies import UnreadBodies

CONSUMER = consumer_names.SEARCH
COMMIT_PAGES = 10_000
COMMIT_SECONDS = 5.0
"""How long a page of a running crawl waits at most until it can be found."""


@dataclass
class Progress:
    """Of one update."""

    pages: int = 0
    frames: int = 0
    all_frames: int = 0


Show = Callable[[Progress], None]


class IndexUpdate:
    """One update of one index, by one thread. Interrupted or killed anywhere, the next one continues."""

    def __init__(
        self,
        place: Place,
        index: SearchIndex,
        stopped: threading.Event | None = None,
        show: Show = lambda progress: None,
        *,
        in_parallel: bool = True,
    ) -> None:
        """`in_parallel`: reads pages on all cores."""
        self._place = place
        self._index = index
        self._stopped = stopped or threading.Event()
        self._show = show
        self._in_parallel = in_parallel
        self.unread = UnreadBodies()
        """Pages that were indexed without their text, because their body could not be read."""
        self._progress = Progress()
        self._writer: SearchWriter | None = None
        self._committed_at = time.monotonic()
        self._uncommitted = 0
        self._cursor = Cursor(0)
        self._committed: Cursor | None = None

    def run(self, *, follow: bool = False, anew: bool = False) -> int:
        """Returns how many pages were put or removed. With `follow`, until no process crawls any more. `anew`: begins
        with an empty index, because the old one is damaged. Raises DirectoryInUse if another process updates it."""
        start, end_frames, anew = self._choose_start(anew)
        self._progress.all_frames = end_frames
        self._progress.frames = start.position.frames
        self._cursor = start
        writer = self._writer = self._index.begin(start, anew=anew)
        try:
            batches = LogBatches(self._place, start, self._take, self._stopped, self._commit_when_due)
            with suppress(Interrupted):
                batches.read(follow=follow)
            self._commit()
        except KeyboardInterrupt:
            self._commit()
            raise
        finally:
            writer.close()
        self._index.refresh()
        return self._progress.pages

    def _choose_start(self, anew: bool) -> tuple[Cursor, int, bool]:
        """The cursor to begin with, how many frames the log has, and whether the index begins anew. The index knows
        best how far it is. A consumer that was removed begins with the first page again."""
        indexed = self._index.refresh()
        with closing(self._place.open_log(read_only=True)) as log:
            first, end = Cursor(log.identity), log.end
        if anew or indexed is None or indexed.log != first.log or not end.covers(indexed.position):
            return first, end.frames, True
        if self._index.is_temporary:
            return indexed, end.frames, False
        saved = self._read_saved()
        if saved is None or saved.log != first.log:
            return first, end.frames, False
        return Cursor(first.log, indexed.position.common(saved.position)), end.frames, False

    def _read_saved(self) -> Cursor | None:
        try:
            return self._place.open_consumers().position(CONSUMER)
        except Broken:
            return None

    def _take(self, batch: Batch) -> None:
        assert self._writer is not None
        wanted = []
        for key, row in batch.rows:
            if row is not None and is_indexed(row):
                wanted.append(row)
            else:
                self._writer.remove(key)
        for page in self._make_pages(batch.crawl, wanted):
            self._writer.put(page)
            if self._stopped.is_set():
                raise Interrupted
        self._cursor = batch.cursor
        self._uncommitted += len(batch.rows)
        self._progress.pages += len(batch.rows)
        self._progress.frames = batch.cursor.position.frames
        self._show(self._progress)
        self._commit_when_due()

    def _make_pages(self, crawl: Crawl, rows: list[Row]) -> Iterator[IndexedPage]:
        contents = Contents(crawl)
        if not self._in_parallel or len(rows) <= 1:
            return (make_indexed_page(row, contents, self.unread) for row in rows)
        crawl.archive  # noqa: B018 - opened here: several threads will use it
        return map_in_order(lambda row: make_indexed_page(row, contents, self.unread), rows)

    def _commit_when_due(self) -> None:
        """A commit of few pages costs as much as indexing a hundred."""
        is_due = time.monotonic() >= self._committed_at + COMMIT_SECONDS
        if self._uncommitted >= COMMIT_PAGES or (self._uncommitted and is_due):
            self._commit()

    def _commit(self) -> None:
        """First the index, then the position of the consumer: it is never ahead of the index."""
        assert self._writer is not None
        if self._cursor != self._committed:
            self._writer.commit(self._cursor)
            if not self._index.is_temporary:
                self._place.open_consumers().save(CONSUMER, self._cursor)
        self._committed, self._uncommitted, self._committed_at = self._cursor, 0, time.monotonic()


def is_behind(crawl: Crawl, index: SearchIndex) -> bool:
    """Whether the catalog has applied frames that the index has not read, or the consumer was removed. Cheap: it is
    asked before each search."""
    cursor = index.refresh()
    catalog = crawl.catalog
    if cursor is None or cursor.log != catalog.log or not cursor.position.covers(catalog.position):
        return True
    return not index.is_temporary and CONSUMER not in crawl.consumers.list()


def describe_missing_index(crawl: Crawl) -> HondiusError:
    return HondiusError(
        f"{crawl.name} has no search index yet: leave out --no-update (in Python, update=False), so that it is built"
    )
