"""Lets every view apply the frames of the log that it has not applied yet. Used at each start."""

import errno
import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from hondius.crawler.commit.visits import Visit, make_visit
from hondius.errors import BrokenLog, BrokenView, HaltedView, is_internal
from hondius.hints import suggest_salvage
from hondius.model import AnyEvent, Discovered, Finished, FoundCloser, Frame, Reprioritised, Reread
from hondius.native import NativeError, decode_discoveries
from hondius.ports import FrameView, Log, UrlStore, find_position
from hondius.position import Position

BATCH = 64
URLS = "urls"
"""The name of the URL store in messages and in BrokenView."""
OF_ANOTHER_CRAWL = "is of another crawl"
_HALTING = (errno.ENOSPC, errno.EDQUOT, None)
"""Errors of the URL store on a full disk: the first failed write has a number, later ones have none."""

KEY = LEAST_HASH = 16
"""Bytes."""
PRIORITIES_VERSION, PRIORITY_ROW = b"\x01", KEY + 8
"""The first byte of the data of `Reprioritised`, and the bytes of each URL in it."""

_log = logging.getLogger("hondius.crawler.commit")

ActivatedOrigins = list[tuple[int, int]]
"""Numbers of origins that have something to do, and the class of their best URL."""


def apply_to_urls(urls: UrlStore, frame: Frame) -> ActivatedOrigins:
    """Applies a frame to the URL store, and returns the origins that gained something to do. An event that the store
    cannot apply is skipped: the frame is durable, so an exception would stop every later start, too."""
    try:
        if frame.sequence == 1:
            urls.belong_to(frame.log)
        return _apply(urls, frame, frame.events)
    except NativeError as error:
        if (broken := find_broken_view(error)) is not None:
            raise broken from error
        if error.kind == "io" and error.errno in _HALTING:
            raise HaltedView(Path(URLS), f"takes no writes ({error})") from error
        if not is_internal(error):
            raise
        return _apply_valid(urls, frame, error)
    except (TypeError, ValueError, OverflowError) as error:
        return _apply_valid(urls, frame, error)


def _apply(urls: UrlStore, frame: Frame, events: Sequence[AnyEvent]) -> ActivatedOrigins:
    discovered, finished, depths, visits, reread, reprioritised = [], [], [], [], [], []
    for event in events:
        if type(event) is Finished:
            finished.append((event.key, event.original_hash()))
            depths.append(event.depth if event.kind == "page" else 0)
            visits += _list_visits(event)
        elif type(event) is Discovered or type(event) is FoundCloser:
            discovered.append(event.data)
        elif type(event) is Reread:
            reread.append((event.depth, event.key))
        elif type(event) is Reprioritised:
            reprioritised.append(event.data)
    return urls.apply(frame.sequence, discovered, finished, visits, depths, reread, reprioritised, frame.partition)


def _apply_valid(urls: UrlStore, frame: Frame, error: Exception) -> ActivatedOrigins:
    valid = [event for event in frame.events if _is_valid(event)]
    lost = len(frame.events) - len(valid)
    _log.error("internal failure: the URL store takes frame %d without %d events", frame.number, lost, exc_info=error)
    return _apply(urls, frame, valid)


def _is_valid(event: AnyEvent) -> bool:
    """Whether the URL store can apply the event: the same checks as there."""
    if isinstance(event, Finished):
        body = event.original_hash()
        return len(event.key) == KEY and (body is None or len(body) >= LEAST_HASH) and 0 <= event.depth < 1 << 32
    if isinstance(event, Reread):
        return len(event.key) == KEY and 0 <= event.depth < 1 << 32
    if isinstance(event, Reprioritised):
        return event.data[:1] in (b"", PRIORITIES_VERSION) and len(event.data) % PRIORITY_ROW == len(event.data[:1])
    if isinstance(event, Discovered | FoundCloser):
        try:
            decode_discoveries(event.data)
        except NativeError:
            return False
    return True


def _list_visits(event: Finished) -> list[Visit]:
    """Empty after a bug: the frame is durable, so an exception would stop every later start, too."""
    try:
        visit = make_visit(event)
    except Exception:
        _log.exception("internal failure: what the end of %r says of its host is not known", event.url)
        return []
    return [] if visit is None else [visit]


def find_broken_view(error: BaseException) -> BrokenView | None:
    """The view that an error is about, if it is about a damaged view. Of the native parts that a crawl uses, only the
    URL store reports damage. Data that the disk cannot read any more also counts as damage: a new view is written
    elsewhere."""
    if isinstance(error, NativeError) and (error.kind == "corrupt" or error.errno == errno.EIO):
        return BrokenView(Path(URLS), f"is damaged ({error})")
    return error if isinstance(error, BrokenView) else None


def catch_up(
    log: Log, urls: UrlStore, views: Sequence[FrameView], progress: Callable[[int, int], None] | None = None
) -> int:
    """Returns how many frames had to be applied to a view."""
    refuse_view_of_other_crawl(log, urls, views)
    known_to_urls = behind = find_position(urls)
    refuse_lost_frames(log, URLS, known_to_urls)
    for view in views:
        refuse_lost_frames(log, view.name, view.position)
        behind = behind.common(view.position)
    frames = 0
    for batch in _split_into_batches(log.read(after=behind)):
        for frame in batch:
            if not known_to_urls.covers(frame.position):
                apply_to_urls(urls, frame)
        for view in views:
            view.apply([frame for frame in batch if not view.position.covers(frame.position)])
        frames += len(batch)
        if progress is not None:
            progress(frames, behind.frames_behind(log.end))
    return frames


def refuse_lost_frames(log: Log, name: str, applied: Position) -> None:
    """A view that is ahead of the log shows that frames were lost."""
    if not log.end.covers(applied):
        raise BrokenLog(
            f"the log ends at frame {log.end.frames:,}, but {name} has seen frame {applied.frames:,}: "
            f"frames were lost; {suggest_salvage(log.place)}"
        )


def catch_up_urls(log: Log, urls: UrlStore) -> None:
    """Only the URL store, for commands that read a crawl which was killed: what the store had in memory is lost."""
    refuse_view_of_other_crawl(log, urls)
    for frame in log.read(after=find_position(urls)):
        apply_to_urls(urls, frame)


def refuse_view_of_other_crawl(log: Log, urls: UrlStore, views: Sequence[FrameView] = ()) -> None:
    """A view that was copied from another crawl looks valid: its frames have the same numbers."""
    if not log.identity:
        return
    for view in views:
        if view.position.frames and view.log != log.identity:
            raise BrokenView(Path(log.place) / view.name, OF_ANOTHER_CRAWL)
    try:
        urls.belong_to(log.identity)
    except NativeError as error:
        raise BrokenView(Path(log.place) / URLS, OF_ANOTHER_CRAWL) from error


def _split_into_batches(frames: Iterator[Frame]) -> Iterator[Sequence[Frame]]:
    batch: list[Frame] = []
    for frame in frames:
        batch.append(frame)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
