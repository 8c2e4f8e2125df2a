"""A crawl that is ready to run."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from hondius import __version__
from hondius.clock import Clock
from hondius.crawler.assemble.stages import make_flow, make_frontier, make_pages, make_politeness, make_shared
from hondius.crawler.assemble.surroundings import Surroundings
from hondius.crawler.assemble.wiring import make_run, make_work
from hondius.crawler.commit import Commit
from hondius.crawler.frontier import Frontier
from hondius.crawler.politeness import EarlierTimes, Hosts
from hondius.crawler.run import Run, RunState
from hondius.crawler.seed_loading import SeedLoading
from hondius.crawler.seeds import SeedSource
from hondius.crawler.statistics import Statistics
from hondius.crawler.translation import product_token
from hondius.crawler.view_reads import ViewReads
from hondius.ports import Catalog, Stores, UrlStore
from hondius.settings import Settings

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class OpenCrawl:
    """A crawl that is ready to run. Leaving `open_crawl` makes everything durable and closes it."""

    settings: Settings
    run: Run
    statistics: Statistics
    frontier: Frontier
    hosts: Hosts
    commit: Commit
    stores: Stores
    clock: Clock

    def describe_plan(self) -> dict[str, float] | None:
        """What the plan for recrawls achieves; None without a budget, or before the first plan."""
        return None if self.run.plan is None else self.run.plan.describe()

    @property
    def seeds(self) -> SeedLoading:
        return self.run.seeds

    @property
    def urls(self) -> UrlStore:
        return self.stores.urls

    @property
    def catalog(self) -> Catalog:
        """Blocks: while the crawl runs, use `ask`."""
        return self.stores.catalog

    async def ask(self, question: Callable[[Catalog], Result]) -> Result:
        """Queries the catalog off the event loop (decision 0020)."""
        return await asyncio.to_thread(question, self.stores.catalog)


@asynccontextmanager
async def assemble_crawl(
    stores: Stores, settings: Settings, seeds: SeedSource | None, surroundings: Surroundings
) -> AsyncIterator[OpenCrawl]:
    """Builds a crawl on open stores, and runs its commit."""
    async with AsyncExitStack() as stack:
        crawl = _wire(stack, stores, settings, seeds, surroundings)
        writing = asyncio.create_task(crawl.commit.run())
        writing.add_done_callback(crawl.run.note_commit_end)
        loading: asyncio.Task[None] | None = None
        try:
            crawl.run.record.begin(__version__, product_token(settings))
            await crawl.run.record.requeue_internal_failures(stores.view, __version__)
            crawl.frontier.wake(stores.urls.origins(settings.scope.max_depth))
            loading = asyncio.create_task(crawl.run.record.load_seeds())
            yield crawl
        finally:
            if loading is not None:
                loading.cancel()
            crawl.run.end()
            crawl.commit.close()
            await writing


def _wire(
    stack: AsyncExitStack, stores: Stores, settings: Settings, seeds: SeedSource | None, surroundings: Surroundings
) -> OpenCrawl:
    """Builds the stages in the order in which they need each other, then what uses them."""
    state = RunState(lambda broken: flow.commit.abandon_view(broken))
    shared = make_shared(stores, settings, surroundings, state)
    earlier = EarlierTimes(surroundings.clock, stores.view)
    reads = ViewReads()
    stack.callback(reads.close)
    politeness = make_politeness(shared, earlier, reads)
    stack.push_async_callback(politeness.fetcher.close)
    pages = make_pages(shared, politeness.robots, seeds)
    flow = make_flow(shared, make_frontier(shared, earlier, reads), politeness.hosts.mark_saved, pages)
    work = make_work(shared, politeness, pages, flow, seeds)
    stack.callback(work.rereading.close)
    stack.callback(work.ranking.close)
    stack.callback(work.due.close)
    run = make_run(shared, politeness, pages, flow, work, reads)
    return OpenCrawl(
        settings,
        run,
        shared.statistics,
        flow.frontier,
        politeness.hosts,
        flow.commit,
        stores,
        surroundings.clock,
    )
