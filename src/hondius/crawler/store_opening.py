"""Opens the stores of a crawl for writing: cuts off what no frame records, lets the views catch up, and rebuilds a view
that is broken or of another version. Only the log and the archive cannot be rebuilt, and nothing here discards
either."""

from collections.abc import Callable
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass

from hondius.clock import Clock, SystemClock
from hondius.crawler.commit import URLS, catch_up
from hondius.crawler.crawl_settings import write_settings
from hondius.crawler.translation import make_identity, make_limits
from hondius.errors import Broken, BrokenLog, BrokenView, DiskFull, HaltedView, HondiusError
from hondius.hints import suggest_salvage, suggest_trustworthy_log
from hondius.native import NativeError
from hondius.ports import Place, Stores, UrlStore
from hondius.settings import Settings


def ignore(_: str) -> None:
    """For callers that show no messages."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Receives messages while a crawl is opened."""

    progress: Callable[[int, int], None] | None = None
    """Frames applied, and their total."""
    notice: Callable[[str], None] = ignore
    """That a view is rebuilt, and why."""
    paused: Callable[[str], None] = ignore
    """Why the opening waits; empty when it continues."""


UNWATCHED = Watch()


def open_stores(
    stack: ExitStack | AsyncExitStack,
    place: Place,
    settings: Settings,
    watch: Watch = UNWATCHED,
    broken: BrokenView | None = None,
) -> Stores:
    """`stack` closes them; the caller holds the lock. `broken`: the broken view that the previous run found.

    A view is rebuilt only once: if the new one is broken, too, the disk is to blame."""
    rebuilt: set[str] = set()
    while True:
        if broken is not None:
            if broken.view.name in rebuilt:
                path = f"{place.name}/{broken.view.name}"
                advice = suggest_trustworthy_log(place.name)
                raise Broken(f"{path} was just rebuilt, and {broken.reason}: {advice}") from broken
            _repair(place, broken, watch)
            if not isinstance(broken, HaltedView):
                rebuilt.add(broken.view.name)
        try:
            with ExitStack() as opened:
                stores = _open(opened, place, settings, watch)
                stack.push(opened.pop_all())
                return stores
        except HaltedView as halted:
            raise DiskFull(f"no room left for {place.name}/{halted.view.name}; make room") from halted
        except BrokenView as found:
            broken = found


def _repair(place: Place, broken: BrokenView, watch: Watch) -> None:
    path = f"{place.name}/{broken.view.name}"
    if isinstance(broken, HaltedView):
        return watch.notice(f"{path} {broken.reason}: it is opened again")
    watch.notice(f"{path} {broken.reason}: it is rebuilt from the log")
    try:
        place.discard(broken.view.name)
    except OSError as error:
        raise HondiusError(f"{error.filename or place.name}: {error.strerror}") from error


def close_urls(urls: UrlStore, name: str, watch: Watch) -> None:
    """What cannot be saved is not lost: the log has it."""
    behind = _count_unsaved(urls)
    try:
        urls.close()
    except NativeError as error:
        again = f"{behind:,} frame{'' if behind == 1 else 's'} of the log {'is' if behind == 1 else 'are'}"
        watch.notice(f"{name} could not be saved ({error}): nothing is lost, {again} applied again at the next start")


def _count_unsaved(urls: UrlStore) -> int:
    """Frames that are not saved: all of them if the store on disk cannot be read, none if the store is closed."""
    applied = 0
    try:
        applied = urls.applied
        return applied - urls.saved()
    except NativeError:
        return applied


def _open(opened: ExitStack, place: Place, settings: Settings, watch: Watch) -> Stores:
    place.clear_away()
    opened.callback(place.disk.close)
    if not place.has_settings:
        write_settings(place, settings)
    return open_place(opened, place, settings, SystemClock(), watch)


def open_place(
    opened: ExitStack | AsyncExitStack, place: Place, settings: Settings, clock: Clock, watch: Watch = UNWATCHED
) -> Stores:
    log = place.open_log(segment_bytes=settings.stores.log_bytes)
    opened.callback(log.close)
    if not log.end.frames and place.open_reader().size():
        # The first frame of a crawl is written before its first request.
        raise BrokenLog(f"there are WARC files but the log is empty; {suggest_salvage(place.name)}")
    urls = place.open_urls(
        capacity=settings.stores.expected_urls, memory=settings.stores.store_memory, limits=make_limits(settings)
    )
    opened.callback(close_urls, urls, f"{place.name}/{URLS}", watch)
    view, catalog = place.open_views()
    opened.callback(view.close)
    if catalog is not view:
        opened.callback(catalog.close)
    near = place.open_near(similarity=settings.near.similarity) if settings.near.enabled else None
    if near is not None:
        opened.callback(near.close)
    views = (view,) if catalog is view else (view, catalog)
    catch_up(log, urls, views if near is None else (*views, near), watch.progress)
    archive = place.open_archive(
        view.archived(), operator=settings.fetch.contact, file_bytes=settings.stores.warc_bytes, clock=clock
    )
    opened.callback(archive.close)
    links = place.open_links(view.link_segments(), identity=make_identity(settings), clock=clock)
    opened.callback(links.close)
    return Stores(place, log, urls, view, catalog, archive, links, near)
