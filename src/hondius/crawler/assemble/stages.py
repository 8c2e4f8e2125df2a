"""Builds the stages of a crawl. Each stage needs those that are built before it."""

from collections.abc import Callable
from dataclasses import dataclass

from hondius.clock import Clock
from hondius.crawler.assemble.surroundings import Surroundings
from hondius.crawler.blacklist import Blacklist
from hondius.crawler.boundary import Boundary
from hondius.crawler.budgets import HostBudgets
from hondius.crawler.commit import ActivatedOrigins, Commit, Listeners
from hondius.crawler.dedup import Duplicates, ExactCopies, NearCopies
from hondius.crawler.fetch import AnyEngine, Fetcher
from hondius.crawler.frontier import Frontier, Retries
from hondius.crawler.left_out import LeftOuts
from hondius.crawler.outcomes import Outcomes, Schedules
from hondius.crawler.page import Links, Policies, Recorder, describe_limits
from hondius.crawler.politeness import (
    Addresses,
    AddressTurns,
    EarlierTimes,
    Hosts,
    RetrySchedule,
    RobotsCache,
    find_treatment,
    find_unfinished_requests,
    ignore_imported,
    parse_host,
)
from hondius.crawler.recrawl import Planning, Returns
from hondius.crawler.reread_list import RereadList
from hondius.crawler.run import RunState
from hondius.crawler.secrets import find_secrets
from hondius.crawler.seeds import SeedSource
from hondius.crawler.sitemaps import Sitemaps
from hondius.crawler.statistics import Statistics
from hondius.crawler.translation import load_policies, make_identity, make_reader, product_token
from hondius.crawler.view_reads import ViewReads
from hondius.model import REOPENED, Failed, RobotsCopy
from hondius.native import Identity, Reader
from hondius.ports import Attempts, Stores
from hondius.settings import Settings

LONGEST_REQUEST = 3_660.0
"""Seconds. A run may have waited this long for an answer without recording anything."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What all stages of a crawl share."""

    stores: Stores
    settings: Settings
    surroundings: Surroundings
    state: RunState
    statistics: Statistics
    identity: Identity
    policies: Policies
    reader: Reader

    @property
    def clock(self) -> Clock:
        return self.surroundings.clock

    @property
    def is_resumed(self) -> bool:
        """Whether the view had any content when it was opened. If not, memory has everything until it forgets
        something."""
        return self.stores.view.position.frames > 0


@dataclass(frozen=True, slots=True)
class Politeness:
    """Which hosts the crawl may contact, when, and through what."""

    hosts: Hosts
    turns: AddressTurns
    addresses: Addresses
    robots: RobotsCache
    blacklist: Blacklist
    budgets: HostBudgets
    attempts: Attempts
    fetcher: Fetcher


@dataclass(frozen=True, slots=True)
class Pages:
    """What the crawl does with an answer."""

    links: Links
    copies: Duplicates
    sitemaps: Sitemaps
    left_outs: LeftOuts
    reread_list: RereadList


@dataclass(frozen=True, slots=True)
class Flow:
    """Where URLs come from, and where their outcomes go."""

    frontier: Frontier
    commit: Commit
    outcomes: Outcomes
    boundary: Boundary
    planning: Planning


def make_shared(stores: Stores, settings: Settings, surroundings: Surroundings, state: RunState) -> Shared:
    identity = make_identity(settings)
    return Shared(
        stores=stores,
        settings=settings,
        surroundings=surroundings,
        state=state,
        statistics=Statistics(stores.view.totals(), surroundings.clock.now()),
        identity=identity,
        policies=load_policies(settings, stores.view),
        reader=make_reader(settings, identity, stores.urls),
    )


def make_frontier(shared: Shared, earlier: EarlierTimes, reads: ViewReads) -> Frontier:
    return Frontier(
        shared.stores.urls,
        shared.settings.scope.max_depth,
        _make_retries(shared, earlier, reads),
        host_of=parse_host,
        settings=shared.settings.frontier,
    )


def make_politeness(shared: Shared, earlier: EarlierTimes, reads: ViewReads) -> Politeness:
    settings, view, clock = shared.settings, shared.stores.view, shared.clock
    blacklist = Blacklist(shared.policies.pages, (entry.domain for entry in view.blacklist()))
    turns = _make_turns(shared)
    attempts = shared.stores.place.attempts()
    # Reads the attempts of earlier runs, so it comes before those of this run begin.
    hosts = _make_hosts(shared, attempts, earlier, reads)
    return Politeness(
        hosts=hosts,
        turns=turns,
        addresses=Addresses(turns, clock, settings.fetch.total_timeout, blacklist.covers_host),
        robots=make_robots(shared, reads, lambda origin: earlier.adjust_robots(ignore_imported(view.robots(origin)))),
        blacklist=blacklist,
        budgets=_make_budgets(shared, reads),
        attempts=attempts,
        fetcher=Fetcher(_make_engine(shared, attempts), settings.fetch.total_timeout),
    )


def make_robots(shared: Shared, reads: ViewReads, load: Callable[[str], RobotsCopy | None]) -> RobotsCache:
    """`load` reads the copy of an origin from the view."""
    return RobotsCache(
        load,
        product_token(shared.settings),
        shared.surroundings.most_robots,
        ask=reads.ask,
        view_may_know=shared.is_resumed,
        wants_tdmrep=shared.settings.usage.tdmrep,
    )


def make_pages(shared: Shared, robots: RobotsCache, seeds: SeedSource | None) -> Pages:
    settings, urls, view = shared.settings, shared.stores.urls, shared.stores.view
    links = Links(urls, shared.policies, shared.identity, settings)
    unfinished = [name for name, _ in view.unfinished_seeds()]
    left_outs = LeftOuts(seeds, unfinished, has_any=view.has_left_out())
    return Pages(
        links=links,
        copies=Duplicates(ExactCopies(urls, view.page, view.fetches), NearCopies(shared.stores.near, urls)),
        sitemaps=Sitemaps(
            robots=robots,
            links=links,
            left_outs=left_outs,
            identity=shared.identity,
            are_wanted=settings.scope.sitemaps,
            clock=shared.clock,
        ),
        left_outs=left_outs,
        reread_list=RereadList(urls, view, left_outs, settings.scope.max_depth),
    )


def make_flow(shared: Shared, frontier: Frontier, on_host_saved: Callable[[str], None], pages: Pages) -> Flow:
    settings, clock, state = shared.settings, shared.clock, shared.state

    def handle_applied(woken: ActivatedOrigins) -> None:
        frontier.wake(woken)
        pages.reread_list.note_frame()
        state.wake()

    listeners = Listeners(
        on_applied=handle_applied,
        on_host_saved=on_host_saved,
        on_view_broken=lambda: state.stop(REOPENED),
        on_unwritable=lambda lost, error: boundary.end_outcome(lost, error),
        on_body_passed_on=pages.copies.pass_on,
        on_unshown_events=lambda frame, bugs: boundary.count_unshown_events(frame, bugs),
        find_original=pages.copies.exact.find_original,
        on_shown=shared.surroundings.extensions.deliver,
    )
    commit = Commit(shared.stores, settings.stores, clock, listeners)
    planning = Planning(settings.recrawl)
    outcomes = Outcomes(
        commit=commit,
        frontier=frontier,
        links=pages.links,
        recorder=Recorder(shared.identity, shared.stores.urls, describe_limits(settings)),
        left_outs=pages.left_outs,
        schedules=Schedules(
            RetrySchedule(settings.politeness, shared.surroundings.random),
            Returns(settings.recrawl, planning, _is_temporary),
        ),
        statistics=shared.statistics,
        clock=clock,
    )
    boundary = Boundary(
        outcomes=outcomes,
        frontier=frontier,
        statistics=shared.statistics,
        clock=clock,
        stop=state.stop,
        secrets=find_secrets(settings.fetch),
    )
    return Flow(frontier, commit, outcomes, boundary, planning)


def _is_temporary(cause: str) -> bool:
    """Whether a failure may be over later: it would be retried, or it is one of the host (P5)."""
    treatment = find_treatment(cause)
    return treatment.retried or treatment.against_host


def _make_retries(shared: Shared, earlier: EarlierTimes, reads: ViewReads) -> Retries:
    view, most = shared.stores.view, shared.surroundings.most_retries

    def convert(failed: Failed) -> tuple[int, float]:
        return failed.count, earlier.adjust_retry(failed)

    def load(key: bytes) -> tuple[int, float] | None:
        failed = view.retry(key)
        return None if failed is None else convert(failed)

    some = view.retries(most + 1)
    known = {failed.key: convert(failed) for failed in some} if len(some) <= most else None
    return Retries(known, load=load, most=most, ask_then=reads.ask_then)


def _make_turns(shared: Shared) -> AddressTurns:
    polite = shared.settings.politeness
    turns = shared.stores.place.open_turns(
        gap=polite.address_gap, most=polite.address_concurrency, is_spaced=polite.delay > 0, clock=shared.clock
    )
    return AddressTurns(turns, shared.clock)


def _make_hosts(shared: Shared, attempts: Attempts, earlier: EarlierTimes, reads: ViewReads) -> Hosts:
    view, polite, now = shared.stores.view, shared.settings.politeness, shared.clock.now()
    orders = [earlier.adjust_order(order) for order in view.host_orders()]
    slowest = max(
        [polite.delay, polite.duration_cap, view.longest_crawl_delay(), *(order.delay or 0.0 for order in orders)]
    )
    return Hosts(
        polite,
        load=lambda name: earlier.adjust_host(view.host(name)),
        earliest=now + polite.delay,
        unfinished=find_unfinished_requests(attempts.last(slowest + LONGEST_REQUEST), now),
        orders=orders,
        ask=reads.ask,
        view_may_know=shared.is_resumed,
    )


def _make_budgets(shared: Shared, reads: ViewReads) -> HostBudgets:
    view = shared.stores.view
    return HostBudgets(
        shared.settings.scope,
        fetched_of_domain=view.fetched_of_domain,
        hosts_at=view.hosts_at,
        list_hosts_of_domain=view.list_hosts_of_domain,
        is_own=shared.stores.urls.is_own,
        is_wanted=shared.stores.urls.is_wanted,
        ask=reads.ask,
        view_may_know=shared.is_resumed,
    )


def _make_engine(shared: Shared, attempts: Attempts) -> Callable[[Callable[[], object]], AnyEngine]:
    file = attempts.begin()
    return lambda notify: shared.surroundings.make_engine(shared.reader, notify, file)
