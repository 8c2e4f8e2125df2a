"""Named consumers: pages in commit order, from where the consumer stopped, also after `kill -9`.

A crawl is a log, so a consumer is a cursor into it. Taking the next page acknowledges the one before. The cursor is
saved after every `SAVE_PAGES` pages or `SAVE_SECONDS`, and at the end, and never covers a page that was not
acknowledged. So every page comes at least once; after a kill, those since the last save come again.
"""

import threading
from collections.abc import Generator, Iterator
from contextlib import closing

from msgspec.structs import replace

from hondius.clock import SystemClock
from hondius.errors import HondiusError
from hondius.hints import quote_command
from hondius.model import Finished, Frame, PageFilter
from hondius.opening import Crawl
from hondius.ports import Log
from hondius.position import Cursor
from hondius.python.archived import make_page
from hondius.python.page import Page
from hondius.use.content import Contents, Row, list_ends, make_row_of_end
from hondius.use.following import FollowedLog
from hondius.use.row_filter import RowFilter
from hondius.use.selected_pages import CopyFilter

SAVE_PAGES = 100
SAVE_SECONDS = 1.0


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
                    progress.acknowledge_page()
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


class Progress:
    """What a consumer has acknowledged, and how much of it is saved."""

    def __init__(self, name: str, crawl: Crawl) -> None:
        self._name = name
        self._crawl = crawl
        self._clock = SystemClock()
        self._lock = threading.Lock()
        self._saved: Cursor | None = None
        self.is_held = False
        """Nothing more is acknowledged."""
        self._unsaved_pages = 0
        self._saved_at = self._clock.now()
        self._offered = 0
        """How many events of the current frame were offered."""
        self._offered_of: Frame | None = None
        self._start = self.cursor = Cursor(0)

    def load(self) -> None:
        """Reads the saved cursor. Raises HondiusError if it is not of this log."""
        saved = self._crawl.consumers.position(self._name)
        with closing(self._crawl.place.open_log(read_only=True)) as log:
            self._start = Cursor(log.identity)
            self.cursor = self._start if saved is None else self._check(saved, log)
        self._saved = saved

    def skip_acknowledged(self, frame: Frame) -> Iterator[object]:
        """The events of a frame that were not acknowledged yet."""
        first = self.cursor.events if self.cursor.frame == frame.position else 0
        self._offered_of = frame
        for index in range(first, len(frame.events)):
            self._offered = index + 1
            yield frame.events[index]

    def acknowledge_page(self) -> None:
        """The page that was offered last."""
        if self.is_held:
            return
        frame = self._offered_of
        assert frame is not None
        self.cursor = Cursor(frame.log, self.cursor.position, frame.position, self._offered)
        self._unsaved_pages += 1
        self._save_when_due()

    def acknowledge_frame(self, frame: Frame) -> None:
        if self.is_held:
            return
        self.cursor = Cursor(frame.log, self.cursor.position.join(frame.position))
        self._save_when_due()

    def save(self) -> None:
        """From any thread: closing the crawl saves, too."""
        with self._lock:
            if self.cursor not in (self._saved, self._start):
                cursor = self.cursor
                self._crawl.consumers.save(self._name, cursor)
                self._saved = cursor
            self._unsaved_pages, self._saved_at = 0, self._clock.now()

    def _save_when_due(self) -> None:
        if self._unsaved_pages >= SAVE_PAGES or self._clock.now() >= self._saved_at + SAVE_SECONDS:
            self.save()

    def _check(self, saved: Cursor, log: Log) -> Cursor:
        if saved.log == log.identity and log.end.covers(saved.position):
            return saved
        again = quote_command("consumers", self._crawl.name, "--remove", self._name)
        raise HondiusError(
            f"the consumer {self._name} has read frames that this log does not have: put the log back from a copy, or "
            f"begin again from its first page after {again}"
        )
