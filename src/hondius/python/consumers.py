"""Named consumers: pages in commit order, from where the consumer stopped, also after `kill -9`.

A crawl is a log, so a consumer is a cursor into it. Taking the next page acknowledges the one before. The cursor is
saved every 100 pages or every second, and at the end, and never covers a page that was not acknowledged. So every page
comes at least once; after a kill, those since the last save come again.
"""

import threading
from collections.abc import Generator, Iterator

from msgspec.structs import replace

from hondius.model import Finished, Frame, PageFilter
from hondius.opening import Crawl
from hondius.python.archived import make_page
from hondius.python.page import Page
from hondius.use.consumer_progress import Progress
from hondius.use.content import Contents, Row, list_ends, make_row_of_end
from hondius.use.following import FollowedLog
from hondius.use.row_filter import RowFilter
from hondius.use.selected_pages import CopyFilter


class ConsumedPages:
    """The pages that a named consumer has not acknowledged yet. A URL that ended twice comes twice, each time as it was
    then. The filter of a consumer may change: pages that it left out are not offered again."""

    def __init__(
        self,
        name: str,
        crawl: Crawl,
        contents: Contents,
        selected: PageFilter,
        stopped: threading.Event,
        *,
        follow: bool,
    ) -> None:
        """`stopped` ends the waiting of a consumer that follows."""
        self.name = name
        self._crawl = crawl
        self._contents = contents
        self._filter = RowFilter(replace(selected, copies=True))
        self._copies = None if selected.copies else CopyFilter(crawl, selected)
        self._follow = follow
        self._progress = Progress(name, crawl)
        self._frames = FollowedLog(crawl.place, stopped, self._progress.save)

    def __iter__(self) -> Generator[Page, None, None]:
        """Ends at the end of the log; with `follow`, when no process crawls any more."""
        with self._crawl.consumers.hold(self.name):
            yield from self._read()

    def _read(self) -> Generator[Page, None, None]:
        progress = self._progress
        progress.load()
        try:
            for frame in self._frames.read(progress.cursor.position, follow=self._follow):
                for page in self._list_pages(frame):
                    yield page
                    progress.acknowledge_event()
                progress.acknowledge_frame(frame)
        finally:
            progress.save()

    def stop_acknowledging(self) -> None:
        """The page that was taken last comes again in the next loop, and so do all after it."""
        self._progress.is_held = True

    def save(self) -> None:
        """Saves which pages were acknowledged, at once."""
        self._progress.save()

    def __repr__(self) -> str:
        return f"<Pages of {self._crawl.name} for {self.name}>"

    def _list_pages(self, frame: Frame) -> Iterator[Page]:
        said = {end.key: extracted for end, extracted in list_ends(frame)}
        for event in self._progress.skip_acknowledged(frame):
            if isinstance(event, Finished):
                row = make_row_of_end(event, said[event.key])
                if self._filter.matches(row) and not self._is_left_out_copy(row):
                    yield make_page(row, self._contents)

    def _is_left_out_copy(self, row: Row) -> bool:
        return self._copies is not None and self._copies.is_copy_of_selected(row)
