"""Builds a crawl: wires the stages to the stores that `opening.py` opened."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from math import inf
from pathlib import Path
from random import Random
from typing import TypeVar

from hondius import __version__
from hondius.clock import Clock, SystemClock
from hondius.crawler.archived_answers import ArchivedAnswers
from hondius.crawler.blacklist import Blacklist
from hondius.crawler.boundary import Boundary
from hondius.crawler.budgets import HostBudgets
from hondius.crawler.commit import (
    Commit,
    Listeners,
    Outcome,
    Woken,
    append_outcome,
    apply_to_urls,
    broken_view,
    catch_up,
)
from hondius.crawler.dedup import ExactCopies
from hondius.crawler.directory import open_settings, write_settings
from hondius.crawler.endings import Endings
from hondius.crawler.errands import Errands
from hondius.crawler.fetch import AnyEngine, Fetcher
from hondius.crawler.frontier import MOST_IN_MEMORY, Frontier, Retries
from hondius.crawler.journey import Journey
from hondius.crawler.left_out import LeftOuts
from hondius.crawler.opening import UNWATCHED, Watch, open_stores
from hondius.crawler.page import Links, Policies, Readings, Recorder, limits_in_words, past_of
from hondius.crawler.page_requests import PageRequests
from hondius.crawler.politeness import (
    Addresses,
    AddressTurns,
    EarlierTimes,
    Gate,
    Hosts,
    Names,
    RetrySchedule,
    RobotsDesk,
    RobotsRequests,
    host_of,
    unfinished_requests,
)
from hondius.crawler.reread_links import RereadLinks
from hondius.crawler.reread_list import RereadList
from hondius.crawler.rereading import Rereading
from hondius.crawler.robots_record import RobotsRecord
from hondius.crawler.run import Parts, Run
from hondius.crawler.secrets import secrets_of
from hondius.crawler.seed_loading import SeedLoading
from hondius.crawler.seeds import ORDERED, SeedSource
from hondius.crawler.seeds_again import may_end_otherwise, queue_failed_seeds
from hondius.crawler.sitemaps import Sitemaps
from hondius.crawler.statistics import Statistics
from hondius.crawler.translation import fitted, make_engine, make_identity, make_policies, make_reader, product_token
from hondius.errors import Broken, BrokenView, DiskFull
from hondius.model import REOPENED, AnyEvent, Failed, Frame, NewSeeds, SeedsTaken, Wanted
from hondius.native import Engine, NativeError, Reader
from hondius.ports import Attempts, Catalog, Lock, PartitionView, Place, Stores, UrlStore
from hondius.settings import Settings

Answer = TypeVar("Answer")

RETRY_FULL_DISK = 1.0
LONGEST_REQUEST = 3_660.0
"""Seconds: a run may have waited for an answer for so long, and recorded nothing meanwhile."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is outside of a crawl: time, chance and the network. Those of the simulation are its own."""

    clock: Clock
    random: Random
    make_engine: Callable[[Reader, Callable[[], object], str], AnyEngine]
    """(how to read, whom to notify, the file of attempt records)"""
    most_robots: int | None = None
    """How many robots.txt are kept in memory; None: as many as is usual."""
    most_retries: int = MOST_IN_MEMORY
    """Failed URLs whose tries are counted in memory; for the others the partition's view is asked."""


@dataclass(frozen=True, slots=True)
class OpenCrawl:
    """A crawl that is ready to run; leaving `open_crawl` makes everything durable and closes it."""

    settings: Settings
    run: Run
    statistics: Statistics
    frontier: Frontier
    hosts: Hosts
    commit: Commit
    stores: Stores
    clock: Clock

    @property
    def seeds(self) -> SeedLoading:
        return self.run.seeds

    @property
    def urls(self) -> UrlStore:
        return self.stores.urls

    @property
    def catalog(self) -> Catalog:
        """Blocks: while the crawl runs, `ask` it."""
        return self.stores.catalog

    async def ask(self, question: Callable[[Catalog], Answer]) -> Answer:
        """A question to the catalog, off the event loop (decision 0020)."""
        return await asyncio.to_thread(question, self.stores.catalog)


async def locked(place: Place, watch: Watch = UNWATCHED, ends: float = inf) -> Lock:
    """A full disk delays the start, as it delays everything else (S5); `ends` is as for `open_crawl`."""
    while True:
        try:
            return place.lock()
        except DiskFull as full:
            await _until_retry(full, watch, ends)


@asynccontextmanager
async def open_crawl(
    place: Place,
    settings: Settings,
    choose_seeds: Callable[[Stores], Awaitable[SeedSource | None]],
    watch: Watch = UNWATCHED,
    broken: BrokenView | None = None,
    ends: float = inf,
) -> AsyncIterator[OpenCrawl]:
    """Creates the crawl or goes on with it. The settings are checked by now: what fails here is the disk, or
    `choose_seeds`, which is asked before anything of a crawl that exists is changed. The caller holds the lock.

    `broken`: the view that made the run before this one stop, to be mended first. `ends`: until when room is waited
    for, by the monotonic clock.
    """
    async with AsyncExitStack() as stack:
        stores = await _opened(stack, place, settings, watch, broken, ends)
        seeds = await choose_seeds(stores)
        await _try_seeds_again(stores, place, settings, watch, ends)
        write_settings(place, settings)
        here = fitted(settings)
        yield await stack.enter_async_context(running(stores, here, seeds, real_surroundings(place.directory, here)))


async def no_seeds(stores: Stores) -> None:
    """For who goes on with a crawl as it is."""


@asynccontextmanager
async def running(
    stores: Stores, settings: Settings, seeds: SeedSource | None, surroundings: Surroundings
) -> AsyncIterator[OpenCrawl]:
    """Wires a crawl on open stores and keeps its commit going."""
    async with AsyncExitStack() as stack:
        crawl = _wire(stack, stores, settings, seeds, surroundings)
        writing = asyncio.create_task(crawl.commit.run())
        writing.add_done_callback(crawl.run.commit_ended)
        loading: asyncio.Task[None] | None = None
        try:
            crawl.run.begin(__version__, product_token(settings))
            crawl.run.try_again(stores.view, __version__)
            crawl.frontier.wake(stores.urls.origins(settings.scope.max_depth))
            loading = asyncio.create_task(crawl.run.load_seeds())
            yield crawl
        finally:
            if loading is not None:
                loading.cancel()
            crawl.run.end()
            crawl.commit.close()
            await writing


def change_settings(place: Place, settings: Settings, watch: Watch = UNWATCHED) -> None:
    """Of a crawl that does not run, as a run does that is given them; the caller holds its lock. The settings are
    checked by now."""
    with ExitStack() as stack:
        stores = open_stores(stack, place, settings, watch)
        if may_end_otherwise(open_settings(place), settings):
            _queue_failed_seeds(stores, settings)
        write_settings(place, settings)


def record(
    place: Place, settings: Settings, events: Sequence[AnyEvent | Wanted | NewSeeds], watch: Watch = UNWATCHED
) -> int:
    """Writes events into a crawl that does not run; the caller holds its lock. Returns how many URLs it queued.

    Orders that a run did not get to before it was killed come first: they are older. A view that is found broken on
    the way is made anew, once.
    """
    left, count, broken = deque(events), 0, None
    while True:
        try:
            with ExitStack() as stack:
                stores = open_stores(stack, place, settings, watch, broken)
                recording = Recording(stores, settings)
                for order, done in stores.place.orders().orders():
                    _apply(stores, recording.append(order)[0], done)
                while left:
                    frames, queued = recording.append(left[0])
                    count += queued
                    _apply(stores, frames, left.popleft)
                return count
        except (BrokenView, NativeError) as error:
            found = broken_view(error)
            if found is None:
                raise
            if broken is not None:
                raise Broken(
                    f"{place.name}/{found.view.name} was just made anew, and {found.reason}: look at the disk"
                ) from error
            broken = found


class Recording:
    """Appends events and orders to the log of a crawl that does not run."""

    def __init__(self, stores: Stores, settings: Settings) -> None:
        self._stores = stores
        self._settings = settings
        self._identity = make_identity(settings)

    @cached_property
    def _links(self) -> Links:
        """Made when an order names URLs: the scope of a crawl may be a million seeds."""
        policies = _policies(self._settings, self._stores.view)
        Blacklist(policies.pages, (entry.domain for entry in self._stores.view.blacklist()))
        return Links(self._stores.urls, policies, self._identity, self._settings)

    def append(self, event: AnyEvent | Wanted | NewSeeds) -> tuple[Sequence[Frame], int]:
        """In frames of its own: an order may name a thousand pages. And how many URLs it queued."""
        now = SystemClock().now()
        outcome = self._outcome(event, now)
        count = sum(found.count for found in outcome.discoveries)
        return append_outcome(self._stores.log, self._stores.urls, outcome, now), count

    def _outcome(self, event: AnyEvent | Wanted | NewSeeds, now: float) -> Outcome:
        if isinstance(event, Wanted):
            return Outcome(discoveries=[self._links.again(event, now)])
        return self._of_seeds(event, now) if isinstance(event, NewSeeds) else Outcome([event])

    def _of_seeds(self, order: NewSeeds, now: float) -> Outcome:
        seeds = list(self._links.named_by(order))
        found, joined = self._links.of_seeds(seeds, now)
        recorder = Recorder(self._identity, self._stores.urls, limits_in_words(self._settings))
        kept, more = recorder.refusals(found, None, 0, "link", now)
        mark = SeedsTaken(now, ORDERED, len(seeds), True, joined)
        return Outcome([mark, *kept, *more], discoveries=found)


def append_frame(stores: Stores, events: Sequence[AnyEvent], now: float) -> None:
    """To a crawl that does not run."""
    _write(stores, Outcome(events), now)


def _write(stores: Stores, outcome: Outcome, now: float) -> None:
    _apply(stores, append_outcome(stores.log, stores.urls, outcome, now), lambda: None)


def _apply(stores: Stores, frames: Sequence[Frame], done: Callable[[], object]) -> None:
    """`done` comes first: the frames are durable, whatever becomes of the views."""
    done()
    for frame in frames:
        apply_to_urls(stores.urls, frame)
        for view in stores.views:
            view.apply([frame])


async def _opened(
    stack: AsyncExitStack, place: Place, settings: Settings, watch: Watch, broken: BrokenView | None, ends: float
) -> Stores:
    worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hondius-opening")  # nobody waits for it at the end
    while True:
        try:
            stores = await asyncio.get_running_loop().run_in_executor(
                worker, open_stores, stack, place, settings, watch, broken
            )
        except DiskFull as full:
            broken = None  # it is mended, and what there is of the new one stays
            await _until_retry(full, watch, ends)
        else:
            watch.paused("")
            worker.shutdown(wait=False)
            return stores


async def _try_seeds_again(stores: Stores, place: Place, settings: Settings, watch: Watch, ends: float) -> None:
    """Before the new settings are written: `seeds_again.py` says why."""
    if not may_end_otherwise(open_settings(place), settings):
        return
    while True:
        try:
            await asyncio.to_thread(_queue_failed_seeds, stores, settings)
        except DiskFull as full:
            await _until_retry(full, watch, ends)
        else:
            watch.paused("")
            return


def _queue_failed_seeds(stores: Stores, settings: Settings) -> None:
    """Catches up first: when the disk was full, a view may have missed a frame that the log has."""
    links = Links(stores.urls, make_policies(settings), make_identity(settings), settings)
    clock = SystemClock()

    def write(outcome: Outcome) -> None:
        _write(stores, outcome, clock.now())

    catch_up(stores.log, stores.urls, stores.views)
    queue_failed_seeds(stores.view, links, write, clock.now())


async def _until_retry(full: DiskFull, watch: Watch, ends: float) -> None:
    watch.paused(str(full))
    left = ends - time.monotonic()
    if left <= 0:
        raise DiskFull(f"{full}: there was none until --max-time was over, and nothing was fetched") from full
    await asyncio.sleep(min(RETRY_FULL_DISK, left))


def _wire(
    stack: AsyncExitStack, stores: Stores, settings: Settings, seeds: SeedSource | None, surroundings: Surroundings
) -> OpenCrawl:
    urls, view, clock = stores.urls, stores.view, surroundings.clock
    identity = make_identity(settings)
    policies = _policies(settings, view)
    reader = make_reader(settings, identity, urls)
    earlier = EarlierTimes(clock, view)
    blacklist = Blacklist(policies.pages, (entry.domain for entry in view.blacklist()))
    frontier = Frontier(
        urls,
        settings.scope.max_depth,
        _retries(view, earlier, surroundings.most_retries),
        host_of=host_of,
        settings=settings.frontier,
    )
    statistics = Statistics(view.totals(), clock.now())
    turns = AddressTurns(settings.politeness, clock)
    addresses = Addresses(turns, clock, settings.fetch.total_timeout, blacklist.covers_host)
    attempts = stores.place.attempts()
    hosts = _hosts(settings, view, attempts, clock, earlier)
    robots = RobotsDesk(
        lambda origin: earlier.robots(view.robots(origin)), product_token(settings), surroundings.most_robots
    )
    fetcher = Fetcher(_engine(reader, attempts, surroundings), settings.fetch.total_timeout)
    stack.push_async_callback(fetcher.close)
    links = Links(urls, policies, identity, settings)
    unfinished = [name for name, _ in view.unfinished_seeds()]
    left_outs = LeftOuts(seeds, unfinished, has_any=view.has_left_out())

    def applied(woken: Woken) -> None:
        frontier.wake(woken)
        listed.stir()
        run.wake()

    listeners = Listeners(
        applied=applied,
        host_saved=hosts.saved,
        view_broke=lambda: run.stop(REOPENED),
        unwritable=lambda lost, error: boundary.end_outcome(lost, error),
        body_passed_on=lambda lost, first: copies.pass_on(lost, first),
        not_shown=lambda frame, bugs: boundary.not_shown(frame, bugs),
    )
    commit = Commit(stores, settings.stores, clock, listeners)
    endings = Endings(
        commit=commit,
        frontier=frontier,
        links=links,
        recorder=Recorder(identity, urls, limits_in_words(settings)),
        left_outs=left_outs,
        schedule=RetrySchedule(settings.politeness, surroundings.random),
        statistics=statistics,
        clock=clock,
    )
    budgets = HostBudgets(
        settings.scope,
        fetched_of_domain=view.fetched_of_domain,
        hosts_at=view.hosts_at,
        hosts_below=view.hosts_below,
        is_wanted=urls.is_wanted,
    )
    copies = ExactCopies(urls, view.page, view.fetches)
    boundary = Boundary(
        endings=endings,
        frontier=frontier,
        statistics=statistics,
        clock=clock,
        stop=lambda reason: run.stop(reason),
        secrets=secrets_of(settings.fetch),
    )
    sitemaps = Sitemaps(
        robots=robots,
        links=links,
        left_outs=left_outs,
        identity=identity,
        are_wanted=settings.scope.sitemaps,
        clock=clock,
    )
    robots_record = RobotsRecord(
        hosts=hosts,
        robots=robots,
        sitemaps=sitemaps,
        links=links,
        commit=commit,
        endings=endings,
        boundary=boundary,
        statistics=statistics,
    )
    names = Names(fetcher.resolve, clock)
    robots_requests = RobotsRequests(
        hosts=hosts,
        names=names,
        turns=turns,
        addresses=addresses,
        robots=robots,
        fetch=lambda key, href, at, kind, within: fetcher.fetch(key, href, at, kind, within=within),
        banned=blacklist.covers,
    )
    gate = Gate(
        names=names,
        turns=turns,
        robots=robots,
        requests=robots_requests,
        identity=identity,
        record=robots_record.record,
        clock=clock,
    )
    errands = Errands(
        hosts=hosts,
        gate=gate,
        frontier=frontier,
        budgets=budgets,
        boundary=boundary,
        statistics=statistics,
        unwritable=robots_record.unwritable,
        clock=clock,
    )
    page_requests = PageRequests(
        robots=robots, turns=turns, addresses=addresses, fetcher=fetcher, past=partial(past_of, view, identity)
    )
    journey = Journey(
        requests=page_requests,
        readings=Readings(policies.pages, identity),
        copies=copies,
        links=links,
        endings=endings,
        wanted_types=settings.scope.wanted_types(),
    )
    loading = SeedLoading(source=seeds, links=links, endings=endings, boundary=boundary, commit=commit, clock=clock)
    listed = RereadList(urls, view, left_outs, settings.scope.max_depth)
    rereading = Rereading(
        listed,
        ArchivedAnswers(view, stores.archive, reader, identity, settings.fetch.page_cap),
        RereadLinks(links, identity, sitemaps.of, clock),
        endings=endings,
        commit=commit,
        boundary=boundary,
        statistics=statistics,
        clock=clock,
    )
    stack.callback(rereading.close)
    run = Run(
        Parts(
            frontier=frontier,
            budgets=budgets,
            hosts=hosts,
            turns=turns,
            robots=robots,
            errands=errands,
            journey=journey,
            endings=endings,
            boundary=boundary,
            links=links,
            seeds=loading,
            commit=commit,
            rereading=rereading,
            blacklist=blacklist,
            orders=stores.place.orders(),
            statistics=statistics,
            settings=settings,
            clock=clock,
            attempts=attempts,
        )
    )
    return OpenCrawl(settings, run, statistics, frontier, hosts, commit, stores, clock)


def _policies(settings: Settings, view: PartitionView) -> Policies:
    policies = make_policies(settings)
    for hrefs in view.scope():
        policies.extend_lines(hrefs)
    return policies


def _retries(view: PartitionView, earlier: EarlierTimes, most: int) -> Retries:
    def shown(failed: Failed) -> tuple[int, float]:
        return failed.count, earlier.retry_at(failed)

    def written(key: bytes) -> tuple[int, float] | None:
        failed = view.retry(key)
        return None if failed is None else shown(failed)

    some = view.retries(most + 1)
    known = {failed.key: shown(failed) for failed in some} if len(some) <= most else None
    return Retries(known, written=written, most=most)


def _hosts(
    settings: Settings,
    view: PartitionView,
    attempts: Attempts,
    clock: Clock,
    earlier: EarlierTimes,
) -> Hosts:
    now = clock.now()
    orders = [earlier.order(order) for order in view.host_orders()]
    polite = settings.politeness
    slowest = max(
        [polite.delay, polite.duration_cap, view.longest_crawl_delay(), *(order.delay or 0.0 for order in orders)]
    )
    return Hosts(
        polite,
        load=lambda name: earlier.host(view.host(name)),
        earliest=now + polite.delay,
        unfinished=unfinished_requests(attempts.last(slowest + LONGEST_REQUEST), now),
        orders=orders,
    )


def _engine(
    reader: Reader, attempts: Attempts, surroundings: Surroundings
) -> Callable[[Callable[[], object]], AnyEngine]:
    file = attempts.begin()
    return lambda notify: surroundings.make_engine(reader, notify, file)


def real_surroundings(directory: Path, settings: Settings) -> Surroundings:
    def engine(reader: Reader, notify: Callable[[], object], file: str) -> Engine:
        return make_engine(
            settings, reader, notify, attempts_file=str(directory / file), spill_directory=str(directory)
        )

    return Surroundings(SystemClock(), Random(), engine)
