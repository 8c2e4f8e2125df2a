"""The changes of a crawl, in the order of its log."""

import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

from hondius.model import Finished, Frame
from hondius.opening import Crawl
from hondius.ports import Catalog, Place
from hondius.position import START
from hondius.use.changes.change import Change, find_time, make_change
from hondius.use.changes.judging import Fetch, judge_end
from hondius.use.consumer_progress import Progress
from hondius.use.following import FollowedLog

EARLIEST = float("-inf")


def list_changes(
    crawl: Crawl, since: float = EARLIEST, stopped: threading.Event | None = None, *, follow: bool = False
) -> Iterator[Change]:
    """Answers that arrived at `since` or later. With `follow`, until no process crawls any more."""
    log = FollowedLog(crawl.place, stopped or threading.Event(), lambda: None, needs_catalog=True)
    for frame in log.read(START, follow=follow):
        if frame.at >= since:
            yield from _list_changes(crawl.place, frame, enumerate(frame.events), since)


class ConsumedChanges:
    """The changes that a named consumer has not acknowledged. Taking the next one acknowledges the one before."""

    def __init__(self, name: str, crawl: Crawl, stopped: threading.Event, *, follow: bool) -> None:
        self._name = name
        self._crawl = crawl
        self._follow = follow
        self._progress = Progress(name, crawl)
        self._log = FollowedLog(crawl.place, stopped, self._progress.save, needs_catalog=True)

    def __iter__(self) -> Generator[Change, None, None]:
        with self._crawl.consumers.hold(self._name):
            yield from self._read()

    def _read(self) -> Generator[Change, None, None]:
        progress = self._progress
        progress.load()
        try:
            for frame in self._log.read(progress.cursor.position, follow=self._follow):
                events = ((progress.index, event) for event in progress.skip_acknowledged(frame))
                for change in _list_changes(self._crawl.place, frame, events, EARLIEST):
                    yield change
                    progress.acknowledge_event()
                progress.acknowledge_frame(frame)
        finally:
            progress.save()


def _list_changes(place: Place, frame: Frame, events: Iterator[tuple[int, object]], since: float) -> Iterator[Change]:
    with closing(_Fetches(place)) as fetches:
        for index, event in events:
            if type(event) is Finished and find_time(frame, event) >= since:
                judged = judge_end(event, frame.number, index, fetches.list)
                if judged is not None:
                    yield make_change(frame, index, event, *judged)


class _Fetches:
    """The catalog, opened when it is first needed, for one frame: a running crawl may replace it by a rebuilt one."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._catalog: Catalog | None = None

    def list(self, key: bytes) -> Sequence[Fetch]:
        if self._catalog is None:
            self._catalog = self._place.open_catalog()
        return self._catalog.fetches(key)

    def close(self) -> None:
        if self._catalog is not None:
            self._catalog.close()
