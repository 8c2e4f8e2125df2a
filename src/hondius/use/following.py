"""Frames of the log, also those that a running crawl appends."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing

from hondius.errors import BrokenView
from hondius.model import Frame
from hondius.ports import Log, Place
from hondius.position import START, Position

PAUSE = 0.1
"""Seconds between two looks at a running crawl."""


class FollowedLog:
    """Reads a log again and again. While a crawl runs, only frames that its catalog has applied are returned: those are
    durable, and what a page refers to can be looked up."""

    def __init__(
        self,
        place: Place,
        stopped: threading.Event,
        before_wait: Callable[[], None],
        *,
        needs_catalog: bool = False,
    ) -> None:
        """`stopped` ends all waiting. `before_wait` is called before each wait for new frames. `needs_catalog`: never
        returns frames that the catalog has not applied, also after a crawl was killed."""
        self._place = place
        self._needs_catalog = needs_catalog
        self._stopped = stopped
        self._before_wait = before_wait

    def read(self, after: Position, *, follow: bool) -> Iterator[Frame]:
        """The frames after a position. With `follow`, waits for more until no process crawls any more."""
        with closing(self._place.open_log(read_only=True)) as log:
            while True:
                is_running = self._place.holder() is not None
                before = after
                for frame in self._read_new(
                    log, after, self._find_limit() if is_running or self._needs_catalog else None
                ):
                    yield frame
                    after = after.join(frame.position)
                if not follow or self._stopped.is_set() or (after == before and not is_running):
                    return
                if after == before:
                    self._before_wait()
                    self._stopped.wait(PAUSE)

    def _read_new(self, log: Log, after: Position, limit: Position | None) -> Iterator[Frame]:
        """`limit`: the last position to read; None: the end of the log."""
        if limit is not None and after.covers(limit):
            return
        log.refresh()
        for frame in log.read(after):
            if limit is not None and not limit.covers(frame.position):
                return
            yield frame

    def _find_limit(self) -> Position:
        """The catalog is opened again each time: the crawl may have replaced it by a rebuilt one."""
        try:
            with closing(self._place.open_catalog()) as catalog:
                return catalog.position
        except BrokenView:
            return START
