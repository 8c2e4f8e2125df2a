"""Builds a crawl: the only place that names concrete stores and wires the stages."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from hondius import __version__
from hondius.clock import Clock, SystemClock
from hondius.crawler.attempts import AttemptFiles
from hondius.crawler.budgets import HostBudgets
from hondius.crawler.commit import Commit, Woken, apply_to_urls, catch_up
from hondius.crawler.control import Mailbox
from hondius.crawler.dedup import ExactCopies
from hondius.crawler.directory import SETTINGS_FILE
from hondius.crawler.endings import Endings
from hondius.crawler.errands import Errands
from hondius.crawler.fetch import Fetcher
from hondius.crawler.frontier import Frontier
from hondius.crawler.journey import Journey
from hondius.crawler.page import Links, Recorder, limits_in_words
from hondius.crawler.politeness import Gate, Hosts, RobotsDesk, Turns, host_of, unfinished_requests
from hondius.crawler.run import Parts, Run
from hondius.crawler.seeds import Seed
from hondius.crawler.statistics import Statistics
from hondius.crawler.translation import (
    make_engine,
    make_identity,
    make_limits,
    make_policy,
    make_reader,
    product_token,
)
from hondius.errors import BrokenLog
from hondius.model import AnyEvent, Discovered
from hondius.native import Engine, Identity, LinkPolicy, UrlStore
from hondius.settings import Settings, written_out
from hondius.stores.archive.embedded import EmbeddedArchive
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.lock import DirectoryLock
from hondius.stores.log.embedded import EmbeddedLog

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Stores:
    disk: EmbeddedDisk
    log: EmbeddedLog
    urls: UrlStore
    catalog: EmbeddedCatalog
    archive: EmbeddedArchive


@dataclass(frozen=True, slots=True)
class OpenCrawl:
    """A crawl that is ready to run; leaving `open_crawl` makes everything durable and closes it."""

    directory: Path
    settings: Settings
    run: Run
    statistics: Statistics
    frontier: Frontier
    hosts: Hosts
    commit: Commit
    urls: UrlStore
    catalog: EmbeddedCatalog


@asynccontextmanager
async def open_crawl(
    directory: Path, settings: Settings, seeds: Sequence[Seed], progress: Progress | None = None
) -> AsyncIterator[OpenCrawl]:
    """Creates the crawl or goes on with it. Everything is checked by now: what fails here is the disk."""
    async with AsyncExitStack() as stack:
        stack.enter_context(DirectoryLock(directory))
        stores = await asyncio.to_thread(_open_stores, stack, directory, settings, progress)
        crawl = await _wire(stack, stores, directory, settings, SystemClock())
        writing = asyncio.create_task(crawl.commit.run())
        writing.add_done_callback(crawl.run.commit_ended)
        try:
            crawl.run.begin(seeds, __version__, product_token(settings))
            _wake(crawl.frontier, stores.urls.origins(settings.scope.max_depth))
            yield crawl
        finally:
            crawl.run.end()
            crawl.commit.close()
            await writing


def want_again(directory: Path, settings: Settings, hrefs: Sequence[str], depth: int = 0) -> int:
    """Queues URLs of a crawl that does not run to be fetched anew; the caller holds its lock. Returns how many."""
    with ExitStack() as stack:
        stores = _open_stores(stack, directory, settings, None)
        now = SystemClock().now()
        found = Links(stores.urls, make_policy(settings), make_identity(settings), settings).again(hrefs, now, depth)
        frame = stores.log.append([Discovered(found.data, found.count)], now)
        apply_to_urls(stores.urls, frame)
        stores.catalog.apply([frame])
        return found.count


def record(directory: Path, settings: Settings, events: Sequence[AnyEvent]) -> None:
    """Writes events into a crawl that does not run; the caller holds its lock."""
    with ExitStack() as stack:
        stores = _open_stores(stack, directory, settings, None)
        frame = stores.log.append(events, SystemClock().now())
        apply_to_urls(stores.urls, frame)
        stores.catalog.apply([frame])


def _open_stores(
    stack: ExitStack | AsyncExitStack, directory: Path, settings: Settings, progress: Progress | None
) -> Stores:
    """Opens the log, lets the views catch up with it, and cuts off what no frame knows."""
    disk = EmbeddedDisk(directory)
    stack.callback(disk.close)
    disk.replace(SETTINGS_FILE, written_out(settings))
    (directory / SETTINGS_FILE).chmod(0o600)  # headers and proxies may hold secrets
    log = EmbeddedLog(disk)
    stack.callback(log.close)
    if log.last_sequence == 0 and disk.list("warc"):
        # The first frame of a crawl is written before its first request.
        raise BrokenLog(
            f"{directory} has WARC files but an empty log: put log/ back from a copy, or move warc/ elsewhere"
        )
    urls = UrlStore(
        str(directory / "urls"),
        capacity=settings.stores.expected_urls,
        memory=settings.stores.store_memory,
        limits=make_limits(settings),
    )
    stack.callback(urls.close)
    catalog = EmbeddedCatalog.open(directory / "crawl.db")
    stack.callback(catalog.close)
    catch_up(log, urls, catalog, progress)
    archive = EmbeddedArchive(
        disk,
        durable=catalog.archived(),
        software=f"Hondius/{__version__}",
        operator=settings.fetch.contact,
        file_bytes=settings.stores.warc_bytes,
    )
    stack.callback(archive.close)
    return Stores(disk, log, urls, catalog, archive)


async def _wire(stack: AsyncExitStack, stores: Stores, directory: Path, settings: Settings, clock: Clock) -> OpenCrawl:
    urls, catalog = stores.urls, stores.catalog
    identity = make_identity(settings)
    policy = _policy(settings, catalog)
    frontier = Frontier(urls, settings.scope.max_depth, {r.key: (r.count, r.not_before) for r in catalog.retries()})
    statistics = Statistics(catalog.totals(), clock.now())
    turns = Turns(settings.politeness, clock)
    attempts = AttemptFiles(stores.disk)
    hosts = _hosts(settings, catalog, turns, attempts, clock)
    robots = RobotsDesk(catalog.robots, product_token(settings))
    fetcher = Fetcher(_engine(settings, identity, directory, attempts))
    stack.push_async_callback(fetcher.close)
    links = Links(urls, policy, identity, settings)

    def applied(woken: Woken) -> None:
        _wake(frontier, woken)
        run.wake()

    commit = Commit(
        disk=stores.disk,
        archive=stores.archive,
        log=stores.log,
        urls=urls,
        catalog=catalog,
        clock=clock,
        settings=settings.stores,
        applied=applied,
        host_saved=hosts.saved,
    )
    endings = Endings(
        commit=commit,
        frontier=frontier,
        turns=turns,
        links=links,
        recorder=Recorder(identity, limits_in_words(settings)),
        identity=identity,
        settings=settings.politeness,
        statistics=statistics,
        clock=clock,
        random=Random(),
    )
    budgets = HostBudgets(
        settings.scope, lambda host: int(urls.facts(f"http://{host}/")["fetched_of_domain"]), catalog.hosts_at
    )
    errands = Errands(
        hosts=hosts,
        robots=robots,
        turns=turns,
        frontier=frontier,
        links=links,
        commit=commit,
        endings=endings,
        budgets=budgets,
        identity=identity,
        statistics=statistics,
        settings=settings,
        clock=clock,
    )
    gate = Gate(
        hosts=hosts,
        turns=turns,
        robots=robots,
        identity=identity,
        fetch=fetcher.fetch,
        resolve=fetcher.resolve,
        record=errands.record_robots,
        clock=clock,
    )
    journey = Journey(
        robots=robots,
        turns=turns,
        fetcher=fetcher,
        copies=ExactCopies(urls, catalog.page),
        links=links,
        endings=endings,
        past=catalog.page,
        clock=clock,
        wanted_types=frozenset(settings.scope.content_types),
    )
    run = Run(
        Parts(
            frontier=frontier,
            budgets=budgets,
            hosts=hosts,
            turns=turns,
            gate=gate,
            errands=errands,
            journey=journey,
            endings=endings,
            links=links,
            commit=commit,
            policy=policy,
            mailbox=Mailbox(stores.disk, directory),
            statistics=statistics,
            settings=settings,
            clock=clock,
        )
    )
    return OpenCrawl(directory, settings, run, statistics, frontier, hosts, commit, urls, catalog)


def _policy(settings: Settings, catalog: EmbeddedCatalog) -> LinkPolicy:
    policy = make_policy(settings)
    for href in catalog.scope():
        policy.extend(href)
    for entry in catalog.blacklist():
        policy.blacklist(entry.domain)
    return policy


def _hosts(settings: Settings, catalog: EmbeddedCatalog, turns: Turns, attempts: AttemptFiles, clock: Clock) -> Hosts:
    now = clock.now()
    return Hosts(
        load=catalog.host,
        delay_of=turns.delay,
        earliest=now + settings.politeness.delay,
        unfinished=unfinished_requests(attempts.newest()),
        orders=catalog.host_orders(),
    )


def _engine(
    settings: Settings, identity: Identity, directory: Path, attempts: AttemptFiles
) -> Callable[[Callable[[], object]], Engine]:
    reader = make_reader(settings, identity)
    file = attempts.begin()
    return lambda notify: make_engine(
        settings, reader, notify, attempts_file=str(directory / file), spill_directory=str(directory)
    )


def _wake(frontier: Frontier, woken: Woken) -> None:
    frontier.wake((number, origin, host_of(origin), best) for number, origin, best in woken)
