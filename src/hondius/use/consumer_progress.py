"""How far a named consumer has read the log: what it has acknowledged, and how much of that is saved."""

import threading
from collections.abc import Iterator
from contextlib import closing

from hondius.clock import SystemClock
from hondius.errors import HondiusError
from hondius.hints import quote_command
from hondius.model import Frame
from hondius.opening import Crawl
from hondius.ports import Log
from hondius.position import Cursor

SAVE_EVENTS = 100
SAVE_SECONDS = 1.0


class Progress:
    """The cursor is saved after every `SAVE_EVENTS` events or `SAVE_SECONDS`, and never covers what was not
    acknowledged."""

    def __init__(self, name: str, crawl: Crawl) -> None:
        self._name = name
        self._crawl = crawl
        self._clock = SystemClock()
        self._lock = threading.Lock()
        self._saved: Cursor | None = None
        self.is_held = False
        """Nothing more is acknowledged."""
        self._unsaved_events = 0
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
        """The events of a frame that were not acknowledged yet. `index` is that of the last one."""
        first = self.cursor.events if self.cursor.frame == frame.position else 0
        self._offered_of = frame
        for index in range(first, len(frame.events)):
            self._offered = index + 1
            yield frame.events[index]

    @property
    def index(self) -> int:
        """Of the event that was offered last, in its frame."""
        return self._offered - 1

    def acknowledge_event(self) -> None:
        """What was offered last."""
        if self.is_held:
            return
        frame = self._offered_of
        assert frame is not None
        self.cursor = Cursor(frame.log, self.cursor.position, frame.position, self._offered)
        self._unsaved_events += 1
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
            self._unsaved_events, self._saved_at = 0, self._clock.now()

    def _save_when_due(self) -> None:
        if self._unsaved_events >= SAVE_EVENTS or self._clock.now() >= self._saved_at + SAVE_SECONDS:
            self.save()

    def _check(self, saved: Cursor, log: Log) -> Cursor:
        if saved.log == log.identity and log.end.covers(saved.position):
            return saved
        again = quote_command("consumers", self._crawl.name, "--remove", self._name)
        raise HondiusError(
            f"the consumer {self._name} has read frames that this log does not have: put the log back from a copy, or "
            f"begin again from its first page after {again}"
        )
