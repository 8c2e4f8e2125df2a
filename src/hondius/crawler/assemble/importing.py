"""Builds what an import needs of a crawl: its stages without frontier, politeness and network."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from hondius.clock import Clock
from hondius.crawler.assemble.stages import make_flow, make_frontier, make_pages, make_robots, make_shared
from hondius.crawler.assemble.surroundings import make_surroundings
from hondius.crawler.boundary import Boundary
from hondius.crawler.commit import Commit
from hondius.crawler.import_journey import ImportJourney
from hondius.crawler.imported_robots import ImportedRobots
from hondius.crawler.page import Readings
from hondius.crawler.politeness import EarlierTimes
from hondius.crawler.run import RunState
from hondius.crawler.statistics import Statistics
from hondius.crawler.view_reads import ViewReads
from hondius.native import Identity, Importer
from hondius.ports import Stores
from hondius.settings import Settings

SITEMAP_CAP = 50_000_000
ROBOTS_CAP = 500 * 1024


@dataclass(frozen=True, slots=True)
class OpenImport:
    """Leaving `assemble_import` makes everything durable."""

    journey: ImportJourney
    commit: Commit
    boundary: Boundary
    statistics: Statistics
    importer: Importer
    identity: Identity
    stores: Stores
    clock: Clock


@asynccontextmanager
async def assemble_import(stores: Stores, settings: Settings) -> AsyncIterator[OpenImport]:
    state = RunState(lambda broken: flow.commit.abandon_view(broken))
    shared = make_shared(stores, settings, make_surroundings(stores.place.directory, settings), state)
    earlier, reads = EarlierTimes(shared.clock, stores.view), ViewReads()
    robots = make_robots(shared, earlier, reads)
    pages = make_pages(shared, robots, None)
    flow = make_flow(shared, make_frontier(shared, earlier, reads), lambda host: None, pages)
    journey = ImportJourney(
        links=pages.links,
        readings=Readings(shared.policies.pages, shared.identity, settings.scope),
        copies=pages.copies,
        robots=ImportedRobots(robots, pages.sitemaps, pages.links, flow.outcomes, flow.commit),
        outcomes=flow.outcomes,
        commit=flow.commit,
        clock=shared.clock,
        wanted_types=settings.scope.wanted_types(),
    )
    importer = Importer(
        shared.reader,
        content_types=sorted(settings.scope.wanted_types()),
        page_cap=settings.fetch.page_cap,
        sitemap_cap=SITEMAP_CAP,
        robots_cap=ROBOTS_CAP,
        body_budget=settings.fetch.body_budget,
    )
    writing = asyncio.create_task(flow.commit.run())
    try:
        yield OpenImport(
            journey,
            flow.commit,
            flow.boundary,
            shared.statistics,
            importer,
            shared.identity,
            stores,
            shared.clock,
        )
    finally:
        flow.commit.close()
        await writing
        reads.close()
