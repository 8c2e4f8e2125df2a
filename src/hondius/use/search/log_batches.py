"""The pages that ended since a cursor, in batches, each as the catalog has it now."""

import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from hondius.errors import HondiusError
from hondius.model import Finished, Frame
from hondius.opening import Crawl
from hondius.ports import Place
from hondius.position import Cursor
from hondius.use.content import Row
from hondius.use.following import FollowedLog

MOST_PAGES = 500
"""Pages of a batch, and a frame more."""
MOST_SECONDS = 1.0
"""How long a page of a running crawl waits for others to make a batch with."""


class Interrupted(Exception):
    """The reader was asked to stop."""


@dataclass(frozen=True)
class Batch:
    crawl: Crawl
    """Opened for this batch: a running crawl may replace its catalog."""
    rows: list[tuple[bytes, Row | None]]
    """Key and row of each page, once. None if the catalog has none."""
    cursor: Cursor
    """The position after the batch."""


class LogBatches:
    """Reads the log from a cursor on, and hands over batches. Raises Interrupted soon after `stopped` is set."""

    def __init__(
        self,
        place: Place,
        start: Cursor,
        take: Callable[[Batch], None],
        stopped: threading.Event,
        on_idle: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_idle` is called before each wait for new frames."""
        self._place = place
        self._take = take
        self._stopped = stopped
        self._on_idle = on_idle
        self._cursor = self._handed_over = start
        self._handed_over_at = time.monotonic()
        self._keys: dict[bytes, None] = {}

    def read(self, *, follow: bool) -> None:
        """With `follow`, until no process crawls any more."""
        log = FollowedLog(self._place, self._stopped, self._before_wait, needs_catalog=True)
        for frame in log.read(self._cursor.position, follow=follow):
            self._add(frame)
            if len(self._keys) >= MOST_PAGES:
                self._hand_over()
        self._hand_over()

    def _add(self, frame: Frame) -> None:
        if self._stopped.is_set():
            raise Interrupted
        self._cursor = Cursor(frame.log, self._cursor.position.join(frame.position))
        self._keys.update((event.key, None) for event in frame.events if type(event) is Finished)

    def _before_wait(self) -> None:
        if time.monotonic() >= self._handed_over_at + MOST_SECONDS:
            self._hand_over()
        self._on_idle()

    def _hand_over(self) -> None:
        if self._cursor == self._handed_over:
            return
        crawl = Crawl(self._place)
        with closing(crawl):
            if not crawl.catalog.position.covers(self._cursor.position):
                raise HondiusError(f"the catalog of {self._place.name} is being rebuilt: try again when it is complete")
            rows = [(key, crawl.catalog.page(key)) for key in self._keys]
            self._take(Batch(crawl, rows, self._cursor))
        self._keys.clear()
        self._handed_over, self._handed_over_at = self._cursor, time.monotonic()
