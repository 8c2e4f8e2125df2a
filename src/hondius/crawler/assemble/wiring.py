"""Builds what passes URLs through the stages, and the run."""

from contextlib import closing
from dataclasses import dataclass

from hondius.crawler.archived_answers import ArchivedAnswers
from hondius.crawler.assemble.stages import Flow, Pages, Politeness, Shared
from hondius.crawler.due_pages import DuePages
from hondius.crawler.hooks import HookStep
from hondius.crawler.host_preparation import HostPreparation
from hondius.crawler.journey import Journey
from hondius.crawler.kept_edges import add_kept_edges
from hondius.crawler.page import PreviousVisits, Readings, Recorder
from hondius.crawler.page_requests import PageRequests
from hondius.crawler.politeness import Gate, Names, RobotsRequests
from hondius.crawler.ranking import Ranking
from hondius.crawler.reread_links import RereadLinks
from hondius.crawler.rereading import Rereading
from hondius.crawler.robots_record import RobotsRecord
from hondius.crawler.run import (
    Background,
    BackgroundRanking,
    BackgroundRereading,
    BackgroundReturning,
    Completion,
    Dispatch,
    Drain,
    HandOut,
    Mailbox,
    OrderHandler,
    OriginReads,
    Preparations,
    RefusalCheck,
    Run,
    RunLimits,
    RunRecord,
    Scheduler,
    Tasks,
)
from hondius.crawler.seed_loading import SeedLoading
from hondius.crawler.seeds import SeedSource
from hondius.crawler.slots import Slots
from hondius.crawler.view_reads import ViewReads
from hondius.native import EdgeLog


@dataclass(frozen=True, slots=True)
class Work:
    """What a run does with hosts, URLs, seeds and archived pages."""

    preparation: HostPreparation
    journey: Journey
    seeds: SeedLoading
    rereading: Rereading
    ranking: Ranking
    due: DuePages


def make_work(shared: Shared, politeness: Politeness, pages: Pages, flow: Flow, seeds: SeedSource | None) -> Work:
    return Work(
        preparation=_make_preparation(shared, politeness, pages, flow),
        journey=_make_journey(shared, politeness, pages, flow),
        seeds=SeedLoading(
            source=seeds,
            links=pages.links,
            outcomes=flow.outcomes,
            boundary=flow.boundary,
            commit=flow.commit,
            clock=shared.clock,
        ),
        rereading=_make_rereading(shared, pages, flow),
        ranking=_make_ranking(shared, pages, flow),
        due=DuePages(
            shared.stores.view,
            pages.links,
            flow.commit,
            returns=flow.outcomes.returns,
            planning=flow.planning,
            clock=shared.clock,
            settings=shared.settings.recrawl,
            is_resumed=shared.is_resumed,
        ),
    )


def make_run(shared: Shared, politeness: Politeness, pages: Pages, flow: Flow, work: Work, reads: ViewReads) -> Run:
    concurrency, clock = shared.settings.fetch.concurrency, shared.clock
    origins = _make_origins(shared, politeness, flow, reads)
    limits = _make_limits(shared, flow)
    hand_out = _make_hand_out(politeness, flow, work, origins, Tasks(Slots.for_journeys(concurrency), shared.state))
    preparations = _make_preparations(
        politeness, flow, work, origins, Tasks(Slots.for_preparations(concurrency), shared.state)
    )
    scheduler = _make_scheduler(politeness, flow, origins, hand_out, preparations)
    dispatch = _make_dispatch(shared, flow, limits, scheduler, hand_out, preparations)
    background = Background(
        BackgroundRereading(work.rereading, flow.commit, shared.state),
        BackgroundReturning(work.due, flow.commit, shared.state),
        BackgroundRanking(work.ranking, shared.state),
    )
    return Run(
        state=shared.state,
        record=_make_record(shared, politeness, pages, flow, work, reads),
        orders=_make_orders(shared, politeness, pages, flow, work),
        dispatch=dispatch,
        background=background,
        completion=Completion(
            limits=limits,
            dispatch=dispatch,
            background=background,
            seeds=work.seeds,
            commit=flow.commit,
            frontier=flow.frontier,
            origins=origins,
            clock=clock,
        ),
        drain=Drain(
            journeys=hand_out.slots,
            preparations=preparations.slots,
            background=background,
            turns=politeness.turns,
            commit=flow.commit,
            state=shared.state,
            clock=clock,
        ),
        clock=clock,
    )


def _make_preparation(shared: Shared, politeness: Politeness, pages: Pages, flow: Flow) -> HostPreparation:
    robots_record = RobotsRecord(
        robots=politeness.robots,
        sitemaps=pages.sitemaps,
        links=pages.links,
        commit=flow.commit,
        outcomes=flow.outcomes,
        boundary=flow.boundary,
        statistics=shared.statistics,
    )
    return HostPreparation(
        hosts=politeness.hosts,
        gate=_make_gate(shared, politeness, robots_record),
        frontier=flow.frontier,
        budgets=politeness.budgets,
        boundary=flow.boundary,
        statistics=shared.statistics,
        unwritable=robots_record.unwritable,
        clock=shared.clock,
    )


def _make_gate(shared: Shared, politeness: Politeness, robots_record: RobotsRecord) -> Gate:
    fetcher = politeness.fetcher
    names = Names(fetcher.resolve, shared.clock)
    requests = RobotsRequests(
        hosts=politeness.hosts,
        names=names,
        turns=politeness.turns,
        addresses=politeness.addresses,
        robots=politeness.robots,
        fetch=lambda key, href, at, kind, within: fetcher.fetch(key, href, at, kind, within=within),
        is_banned=politeness.blacklist.covers,
    )
    return Gate(
        names=names,
        turns=politeness.turns,
        robots=politeness.robots,
        requests=requests,
        identity=shared.identity,
        record=robots_record.record,
        record_tdmrep=robots_record.record_tdmrep,
        clock=shared.clock,
    )


def _make_journey(shared: Shared, politeness: Politeness, pages: Pages, flow: Flow) -> Journey:
    requests = PageRequests(
        robots=politeness.robots,
        turns=politeness.turns,
        addresses=politeness.addresses,
        fetcher=politeness.fetcher,
    )
    return Journey(
        requests=requests,
        readings=Readings(shared.policies.pages, shared.identity, shared.settings.scope),
        copies=pages.copies,
        links=pages.links,
        outcomes=flow.outcomes,
        wanted_types=shared.settings.scope.kept_types(),
        hooks=_make_hook_step(shared, pages),
    )


def _make_hook_step(shared: Shared, pages: Pages) -> HookStep | None:
    hooks = shared.surroundings.extensions.hooks
    if hooks is None:
        return None
    recorder = Recorder(shared.identity, shared.stores.urls, {})
    return HookStep(hooks, recorder, pages.links, shared.statistics)


def _make_rereading(shared: Shared, pages: Pages, flow: Flow) -> Rereading:
    stores = shared.stores
    return Rereading(
        pages.reread_list,
        ArchivedAnswers(stores.view, stores.archive, shared.reader, shared.identity, shared.settings.fetch.page_cap),
        RereadLinks(pages.links, shared.identity, pages.sitemaps, shared.clock),
        outcomes=flow.outcomes,
        commit=flow.commit,
        boundary=flow.boundary,
        statistics=shared.statistics,
        clock=shared.clock,
    )


def _make_ranking(shared: Shared, pages: Pages, flow: Flow) -> Ranking:
    place, settings = shared.stores.place, shared.settings

    def read_earlier(edges: EdgeLog) -> None:
        with closing(place.open_view()) as view:
            add_kept_edges(edges, view, shared.stores.links, shared.identity)

    return Ranking(
        ratings=pages.links.ratings,
        edges=EdgeLog(str(place.directory), follow_nofollow=settings.scope.follow_nofollow),
        read_earlier=read_earlier if shared.is_resumed else None,
        urls=shared.stores.urls,
        commit=flow.commit,
        boundary=flow.boundary,
        settings=settings.rank,
        clock=shared.clock,
    )


def _make_record(
    shared: Shared, politeness: Politeness, pages: Pages, flow: Flow, work: Work, reads: ViewReads
) -> RunRecord:
    return RunRecord(
        seeds=work.seeds,
        links=pages.links,
        commit=flow.commit,
        attempts=politeness.attempts,
        rules=shared.settings.politeness,
        clock=shared.clock,
        state=shared.state,
        ask=reads.ask,
    )


def _make_orders(shared: Shared, politeness: Politeness, pages: Pages, flow: Flow, work: Work) -> OrderHandler:
    return OrderHandler(
        mailbox=Mailbox(shared.stores.place.orders(), shared.clock, flow.boundary),
        commit=flow.commit,
        links=pages.links,
        outcomes=flow.outcomes,
        seeds=work.seeds,
        hosts=politeness.hosts,
        frontier=flow.frontier,
        blacklist=politeness.blacklist,
    )


def _make_origins(shared: Shared, politeness: Politeness, flow: Flow, reads: ViewReads) -> OriginReads:
    return OriginReads(
        reads=reads,
        hosts=politeness.hosts,
        robots=politeness.robots,
        budgets=politeness.budgets,
        visits=PreviousVisits(shared.stores.view, shared.identity),
        frontier=flow.frontier,
        boundary=flow.boundary,
        state=shared.state,
    )


def _make_preparations(
    politeness: Politeness, flow: Flow, work: Work, origins: OriginReads, tasks: Tasks
) -> Preparations:
    return Preparations(
        tasks=tasks,
        preparation=work.preparation,
        origins=origins,
        hosts=politeness.hosts,
        frontier=flow.frontier,
        blacklist=politeness.blacklist,
        outcomes=flow.outcomes,
        boundary=flow.boundary,
    )


def _make_limits(shared: Shared, flow: Flow) -> RunLimits:
    return RunLimits(
        shared.settings.limits,
        shared.statistics,
        flow.commit,
        shared.surroundings.extensions.has_room,
        fetches_requisites=shared.settings.scope.requisites,
    )


def _make_hand_out(politeness: Politeness, flow: Flow, work: Work, origins: OriginReads, tasks: Tasks) -> HandOut:
    return HandOut(
        tasks=tasks,
        journey=work.journey,
        frontier=flow.frontier,
        turns=politeness.turns,
        budgets=politeness.budgets,
        origins=origins,
        refusal_check=RefusalCheck(politeness.blacklist, flow.frontier, flow.outcomes),
        boundary=flow.boundary,
    )


def _make_scheduler(
    politeness: Politeness, flow: Flow, origins: OriginReads, hand_out: HandOut, preparations: Preparations
) -> Scheduler:
    return Scheduler(
        hosts=politeness.hosts,
        frontier=flow.frontier,
        budgets=politeness.budgets,
        robots=politeness.robots,
        origins=origins,
        preparations=preparations,
        hand_out=hand_out,
    )


def _make_dispatch(
    shared: Shared,
    flow: Flow,
    limits: RunLimits,
    scheduler: Scheduler,
    hand_out: HandOut,
    preparations: Preparations,
) -> Dispatch:
    return Dispatch(
        state=shared.state,
        limits=limits,
        frontier=flow.frontier,
        scheduler=scheduler,
        preparations=preparations,
        hand_out=hand_out,
        boundary=flow.boundary,
        clock=shared.clock,
    )
