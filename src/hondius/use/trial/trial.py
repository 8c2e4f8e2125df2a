"""Runs the small crawl, and keeps what politeness and `audit` need."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import msgspec
from msgspec.structs import replace

from hondius import __version__
from hondius.clock import SystemClock
from hondius.crawler.assemble import Surroundings, running
from hondius.crawler.opening import open_place
from hondius.crawler.page import Links
from hondius.crawler.recording import append_frame
from hondius.crawler.translation import make_engine, make_identity, make_policies, product_token
from hondius.model import AnyEvent, Discovered, HostState, RobotsCopy, RobotsHop, RunEnded, RunStarted, Wanted
from hondius.native import Engine, Reader, Url
from hondius.ports import Log, PartitionView, Place, Stores
from hondius.settings import LimitSettings, Settings, StoreSettings
from hondius.use.explain.ending import ending_of, requests_of
from hondius.use.explain.explanation import RobotsFacts, Tried
from hondius.use.explain.verdicts import robots_verdict
from hondius.use.trial.place import trial_place

TRIED = "explain --try"
"""Why the run of a trial ended, as the log tells it."""
LONGEST = 120.0
"""Seconds that a trial may take, the wait for its host's turn included."""
NOTHING = "^$"
"""Matches no URL."""


def try_url(url: Url, settings: Settings, real: Stores) -> Tried:
    """`real` are the open stores of the crawl; the caller holds its lock."""
    with real.place.open_scratch_place() as scratch:
        return asyncio.run(_tried(url, _for_one_url(settings), real, trial_place(scratch, real.place, real.view)))


def _for_one_url(settings: Settings) -> Settings:
    """One request for the page, and none for what it leads to."""
    return replace(
        settings,
        scope=replace(settings.scope, include=(NOTHING,), sitemaps=False, max_depth=None),
        politeness=replace(settings.politeness, retries=0),
        limits=LimitSettings(),
        fetch=replace(settings.fetch, concurrency=1),
        stores=StoreSettings(expected_urls=1_000, store_memory=2**20, free_bytes=settings.stores.free_bytes),
    )


async def _tried(url: Url, settings: Settings, real: Stores, place: Place) -> Tried:
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        stores = open_place(stack, place, settings, clock)
        links = Links(stores.urls, make_policies(settings), make_identity(settings), settings)
        found = links.again(Wanted((url.href,)), clock.now())
        append_frame(stores, [Discovered(found.data, found.count)], clock.now())
        append_frame(real, [_started(settings, real.place.attempts().next_number, clock.now())], clock.now())
        try:
            reason = await _run(stores, settings, _surroundings(real.place.directory, settings))
        finally:
            append_frame(real, [*_learned(stores.log), RunEnded(clock.now(), TRIED)], clock.now())
        return _told(url, settings, stores.view, reason)


def _started(settings: Settings, number: int, now: float) -> RunStarted:
    rules = msgspec.to_builtins(settings.politeness)
    return RunStarted(now, __version__, product_token(settings), rules, number)


def _surroundings(directory: Path, settings: Settings) -> Surroundings:
    """The engine writes its attempt records into the real crawl."""

    def engine(reader: Reader, notify: Callable[[], object], file: str) -> Engine:
        return make_engine(settings, reader, notify, attempts_file=str(directory / file))

    return Surroundings(SystemClock(), Random(), engine)


async def _run(stores: Stores, settings: Settings, surroundings: Surroundings) -> str:
    async with running(stores, settings, None, surroundings) as crawl:
        asyncio.get_running_loop().call_later(LONGEST, crawl.run.stop, "max_time")
        return await crawl.run.until_over()


def _learned(log: Log) -> list[AnyEvent]:
    """What the real crawl must know of what was sent."""
    return [
        event for frame in log.read() for event in frame.events if isinstance(event, HostState | RobotsCopy | RobotsHop)
    ]


def _told(url: Url, settings: Settings, view: PartitionView, reason: str) -> Tried:
    page, robots = view.page(url.key), robots_verdict(url, settings, view)
    if page is None:
        return Tried(_why_not(robots, reason), robots)
    ending = replace(ending_of(page, settings.fetch.max_links), warc=None)
    requests = [replace(request, warc=None) for request in requests_of(view.fetches(url.key))]
    words = [word for word in (ending.state, ending.cause) if word]
    return Tried(f"the crawl would end it as {', '.join(words)}", robots, ending, requests)


def _why_not(robots: RobotsFacts, reason: str) -> str:
    if robots.outcome == "unreachable" and robots.allowed is None:
        return f"nothing was asked for but robots.txt, which cannot be had: {robots.detail}"
    if reason == "max_time":
        return f"its host's turn did not come within {LONGEST:g} s: nothing was asked for"
    return "its host is left alone at the moment (paused, failing or pushed back): nothing was asked for"
