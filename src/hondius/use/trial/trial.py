"""Runs the small crawl, and records what politeness and `audit` need."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import msgspec
from msgspec.structs import replace

from hondius import __version__
from hondius.clock import SystemClock
from hondius.crawler.assemble import Surroundings, assemble_crawl
from hondius.crawler.idle_crawl import append_frame
from hondius.crawler.page import Links
from hondius.crawler.store_opening import open_place
from hondius.crawler.translation import make_engine, make_identity, make_policies, product_token
from hondius.model import (
    NOTHING_SENT,
    AnyEvent,
    Discovered,
    Failed,
    Finished,
    HostState,
    RecrawlOrder,
    RobotsCopy,
    RobotsHop,
    RunEnded,
    RunStarted,
)
from hondius.native import Engine, Reader, Url
from hondius.ports import Log, PartitionView, Place, Stores
from hondius.settings import LimitSettings, Settings, StoreSettings
from hondius.use.explain.ending import describe_ending, list_requests
from hondius.use.explain.explanation import RobotsFacts, Tried
from hondius.use.explain.verdicts import judge_robots
from hondius.use.trial.place import make_trial_place

TRIAL_ENDED = "explain --try"
"""The reason in the log why the run of a trial ended."""
MAX_SECONDS = 120.0
"""Seconds that a trial may take, including the wait for the host's delay."""
MATCH_NOTHING = "^$"
"""A pattern that matches no URL."""


def try_url(url: Url, settings: Settings, real: Stores) -> Tried:
    """`real` are the open stores of the crawl. The caller must hold its lock."""
    with real.place.open_scratch_place() as scratch:
        return asyncio.run(
            _run_trial(url, _limit_to_one_url(settings), real, make_trial_place(scratch, real.place, real.view))
        )


def _limit_to_one_url(settings: Settings) -> Settings:
    """Settings that fetch the page but follow none of its links."""
    return replace(
        settings,
        scope=replace(settings.scope, include=(MATCH_NOTHING,), sitemaps=False, max_depth=None),
        politeness=replace(settings.politeness, retries=0),
        limits=LimitSettings(),
        fetch=replace(settings.fetch, concurrency=1),
        stores=StoreSettings(expected_urls=1_000, store_memory=2**20, free_bytes=settings.stores.free_bytes),
    )


async def _run_trial(url: Url, settings: Settings, real: Stores, place: Place) -> Tried:
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        stores = open_place(stack, place, settings, clock)
        links = Links(stores.urls, make_policies(settings), make_identity(settings), settings)
        found = links.admit_recrawl(RecrawlOrder((url.href,)), clock.now())
        append_frame(stores, [Discovered(some.data, some.count) for some in found], clock.now())
        number = real.place.attempts().next_number
        append_frame(real, [_make_run_started(url, settings, number, clock.now())], clock.now())
        try:
            reason = await _run_crawl(stores, settings, _make_surroundings(real.place.directory, settings))
        finally:
            learned = _collect_learned(stores.log)
            ended = RunEnded(clock.now(), TRIAL_ENDED, _count_page_requests(stores.log))
            append_frame(real, [*learned, ended], clock.now())
        return _describe_result(url, settings, stores.view, reason)


def _make_run_started(url: Url, settings: Settings, number: int, now: float) -> RunStarted:
    """Names the URL before it is requested: `audit` must find it even if the trial is killed (P7)."""
    rules = msgspec.to_builtins(settings.politeness)
    return RunStarted(now, __version__, product_token(settings), rules, number, ((url.key, url.href),))


def _make_surroundings(directory: Path, settings: Settings) -> Surroundings:
    """The engine writes its attempt records to the real crawl."""

    def build_engine(reader: Reader, notify: Callable[[], object], file: str) -> Engine:
        return make_engine(settings, reader, notify, attempts_file=str(directory / file))

    return Surroundings(SystemClock(), Random(), build_engine)


async def _run_crawl(stores: Stores, settings: Settings, surroundings: Surroundings) -> str:
    async with assemble_crawl(stores, settings, None, surroundings) as crawl:
        asyncio.get_running_loop().call_later(MAX_SECONDS, crawl.run.stop, "max_time")
        return await crawl.run.run_until_over()


def _collect_learned(log: Log) -> list[AnyEvent]:
    """The events that the real crawl must record about the requests."""
    return [
        event for frame in log.read() for event in frame.events if isinstance(event, HostState | RobotsCopy | RobotsHop)
    ]


def _count_page_requests(log: Log) -> int:
    """Requests for robots.txt are counted by their own events."""
    ends = [event for frame in log.read() for event in frame.events if isinstance(event, Finished | Failed)]
    unsent = [end for end in ends if end.cause in NOTHING_SENT or (isinstance(end, Finished) and not end.started_at)]
    return len(ends) - len(unsent)


def _describe_result(url: Url, settings: Settings, view: PartitionView, reason: str) -> Tried:
    page, robots = view.page(url.key), judge_robots(url, settings, view)
    if page is None:
        return Tried(_describe_failure(robots, reason), robots)
    ending = replace(describe_ending(page, settings.fetch.max_links), warc=None)
    requests = [replace(request, warc=None) for request in list_requests(view.fetches(url.key))]
    words = [word for word in (ending.state, ending.cause) if word]
    return Tried(f"the crawl would end it as {', '.join(words)}", robots, ending, requests)


def _describe_failure(robots: RobotsFacts, reason: str) -> str:
    if robots.outcome == "unreachable" and robots.allowed is None:
        return f"only robots.txt was requested, and it cannot be fetched: {robots.detail}"
    if reason == "max_time":
        return f"its host's delay was not over within {MAX_SECONDS:g} s: nothing was requested"
    return "its host is not contacted now (paused, failing or backing off): nothing was requested"
