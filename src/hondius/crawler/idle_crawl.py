"""Writes to a crawl that is not running: events, orders and changed settings. A running crawl writes by its commit."""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cached_property

from hondius.clock import SystemClock
from hondius.crawler.blacklist import Blacklist
from hondius.crawler.commit import Outcome, append_outcome, apply_to_urls, catch_up, find_broken_view
from hondius.crawler.crawl_settings import open_settings, write_settings
from hondius.crawler.failed_seeds import may_succeed_now, queue_failed_seeds
from hondius.crawler.page import Links, Recorder, describe_limits
from hondius.crawler.seeds import ORDERED
from hondius.crawler.store_opening import UNWATCHED, Watch, open_stores
from hondius.crawler.translation import load_policies, make_identity, make_policies
from hondius.errors import Broken, BrokenView, is_internal
from hondius.hints import suggest_trustworthy_log
from hondius.model import AnyEvent, Frame, NewSeeds, Order, RecrawlOrder, SeedsTaken
from hondius.native import NativeError
from hondius.ports import Place, Stores
from hondius.settings import Settings

_log = logging.getLogger("hondius.crawler")


def change_settings(place: Place, settings: Settings, watch: Watch = UNWATCHED) -> None:
    """Changes the settings of a crawl that is not running, as a run with these settings would. The caller holds its
    lock and has checked the settings."""
    with ExitStack() as stack:
        stores = open_stores(stack, place, settings, watch)
        if may_succeed_now(open_settings(place), settings):
            queue_seeds_again(stores, settings)
        write_settings(place, settings)


def record_events(
    place: Place, settings: Settings, events: Sequence[AnyEvent | RecrawlOrder | NewSeeds], watch: Watch = UNWATCHED
) -> int:
    """Writes events to a crawl that is not running; the caller holds its lock. Returns how many URLs were queued.

    Orders that a killed run did not obey come first: they are older. A broken view is rebuilt, once."""
    left, count, broken = deque(events), 0, None
    while True:
        try:
            with ExitStack() as stack:
                stores = open_stores(stack, place, settings, watch, broken)
                writer = IdleWriter(stores, settings)
                for order, done in stores.place.orders().orders():
                    _obey(stores, writer, order, done)
                while left:
                    frames, queued = writer.append(left[0])
                    count += queued
                    _apply(stores, frames, left.popleft)
                return count
        except (BrokenView, NativeError) as error:
            found = find_broken_view(error)
            if found is None:
                raise
            if broken is not None:
                raise Broken(
                    f"{place.name}/{found.view.name} was just rebuilt, and {found.reason}: "
                    f"{suggest_trustworthy_log(place.name)}"
                ) from error
            broken = found


def _obey(stores: Stores, writer: "IdleWriter", order: Order, done: Callable[[], None]) -> None:
    """A bug, or a value that nobody expected, ends this order and not the command: it would meet the order again."""
    try:
        frames, _ = writer.append(order)
    except BaseException as error:
        if not is_internal(error):
            raise
        _log.error("internal failure: an order, %s, could not be obeyed", type(order).__name__, exc_info=error)
        return done()
    return _apply(stores, frames, done)


class IdleWriter:
    """Appends events and orders to the log of a crawl that is not running."""

    def __init__(self, stores: Stores, settings: Settings) -> None:
        self._stores = stores
        self._settings = settings
        self._identity = make_identity(settings)

    @cached_property
    def _links(self) -> Links:
        """Built only if an order names URLs: the scope of a crawl may have a million seeds."""
        policies = load_policies(self._settings, self._stores.view)
        Blacklist(policies.pages, (entry.domain for entry in self._stores.view.blacklist()))
        return Links(self._stores.urls, policies, self._identity, self._settings)

    def append(self, event: AnyEvent | RecrawlOrder | NewSeeds) -> tuple[Sequence[Frame], int]:
        """Each event gets its own frames: an order may name a thousand pages. Returns the frames, and how many URLs
        they queue."""
        now = SystemClock().now()
        outcome = self._make_outcome(event, now)
        count = sum(found.count for found in outcome.discoveries)
        return append_outcome(self._stores.log, self._stores.urls, outcome, now), count

    def _make_outcome(self, event: AnyEvent | RecrawlOrder | NewSeeds, now: float) -> Outcome:
        """What follows from an event or an order."""
        if isinstance(event, RecrawlOrder):
            return Outcome(discoveries=self._links.admit_recrawl(event, now))
        return self._take_seeds(event, now) if isinstance(event, NewSeeds) else Outcome([event])

    def _take_seeds(self, order: NewSeeds, now: float) -> Outcome:
        seeds = list(self._links.parse_seeds(order))
        found, joined = self._links.admit_seeds(seeds, now)
        recorder = Recorder(self._identity, self._stores.urls, describe_limits(self._settings))
        kept, more = recorder.record_refusals(found, None, 0, "link", now)
        mark = SeedsTaken(now, ORDERED, len(seeds), True, joined)
        return Outcome([mark, *kept, *more], discoveries=found)


def append_frame(stores: Stores, events: Sequence[AnyEvent], now: float) -> None:
    """Writes events to a crawl that is not running."""
    _write(stores, Outcome(events), now)


def _write(stores: Stores, outcome: Outcome, now: float) -> None:
    _apply(stores, append_outcome(stores.log, stores.urls, outcome, now), lambda: None)


def _apply(stores: Stores, frames: Sequence[Frame], done: Callable[[], object]) -> None:
    """`done` comes first: the frames are durable, whatever happens to the views."""
    done()
    for frame in frames:
        apply_to_urls(stores.urls, frame)
        for view in stores.views:
            view.apply([frame])


def queue_seeds_again(stores: Stores, settings: Settings) -> None:
    """Queues failed seeds again (`failed_seeds.py`). The views catch up first: on a full disk, one may have missed a
    frame."""
    links = Links(stores.urls, make_policies(settings), make_identity(settings), settings)
    clock = SystemClock()

    def write(outcome: Outcome) -> None:
        _write(stores, outcome, clock.now())

    catch_up(stores.log, stores.urls, stores.views)
    queue_failed_seeds(stores.view, links, write, clock.now())
