"""Combines all facts about a URL."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from hondius.clock import SystemClock
from hondius.errors import HondiusError
from hondius.native import NativeError, Url
from hondius.opening import Crawl
from hondius.ports import Catalog, Log
from hondius.settings import Settings
from hondius.use.explain.budget import find_refusal
from hondius.use.explain.discovery import trace_to_seed
from hondius.use.explain.ending import describe_ending, list_requests
from hondius.use.explain.explanation import (
    EXCLUDED_BY,
    BudgetFacts,
    EndingFacts,
    Explanation,
    IdentityFacts,
    QueueFacts,
    RobotsFacts,
    ScopeFacts,
)
from hondius.use.explain.identity import identify
from hondius.use.explain.links import describe_unread_links, find_links
from hondius.use.explain.past_state import PastState, replay_log, restore_settings
from hondius.use.explain.trace import Trace, find_trace, is_queued_again
from hondius.use.explain.verdicts import judge_robots, judge_scope
from hondius.use.explain.waiting import (
    WAITING,
    StoreFacts,
    describe_host,
    describe_queue,
    find_order,
    list_recent_attempts,
    read_store,
)
from hondius.use.rank import open_stored

NOT_STARTED = "the crawl had not begun by then"
NOT_STORED = ("scope", "excluded")
"""Links refused for these reasons are not stored, so it is unknown whether a page has one."""


def explain_url(crawl: Crawl, text: str, at: float | None = None) -> Explanation:
    """Only reads, also while the crawl runs. Notes list what could not be read. With `at`: what was known at that time,
    according to the log."""
    identity, url = identify(text, crawl.settings)
    if url is None:
        return Explanation(text, f"this URL cannot be crawled: {identity.reason}", identity, at=at)
    notes: list[str] = []
    log = _open_log(crawl, notes)
    if at is not None and log is not None and _is_in_future(log, at):
        notes.append("the given time is in the future: this is what is known now")
        at = None
    if at is None:
        evidence = _gather_present(crawl, url, log, notes)
        return _build_explanation(text, identity, url, evidence, crawl, log, notes)
    if log is None:
        return Explanation(text, "the past is unknown: the log cannot be read", identity, notes=notes)
    with crawl.open_scratch_catalog() as scratch:
        evidence = _gather_past(replay_log(log, url, at, scratch), crawl.settings, at, log, notes)
        return _build_explanation(text, identity, url, evidence, crawl, log, notes, at)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an explanation is based on: the present views, or those of an earlier time."""

    settings: Settings
    catalog: Catalog
    trace: Trace
    store: StoreFacts | None
    now: float


def _gather_present(crawl: Crawl, url: Url, log: Log | None, notes: list[str]) -> Evidence:
    catalog = crawl.catalog
    store = read_store(crawl, url, log, notes)
    trace = Trace(None, None)
    if catalog.has_ended(url.key):
        trace = Trace(None, None, again=_check_queued_again(url, catalog, store, log, notes))
    elif log is not None:
        with _note_errors(notes):
            trace = find_trace(log, url.key, catalog.position)
        if store is not None and (behind := store.applied.frames_behind(log.end)):
            frames = f"{behind:,} frame{'' if behind == 1 else 's'}"
            notes.append(f"the URL store is {frames} behind the log; the next start catches up")
    return Evidence(crawl.settings, catalog, trace, store, SystemClock().now())


def _check_queued_again(
    url: Url, catalog: Catalog, store: StoreFacts | None, log: Log | None, notes: list[str]
) -> bool:
    """For a URL that has ended. A store that lags behind the catalog may not know of the end yet."""
    if store is not None and store.applied.covers(catalog.position):
        return store.state in WAITING
    if log is not None:
        with _note_errors(notes):
            return is_queued_again(log, url.key)
    return False


def _add_rank(queue: QueueFacts, crawl: Crawl, url: Url) -> QueueFacts:
    try:
        stored = open_stored(crawl)
        ranked = None if stored is None else stored.page(url.key)
    except NativeError:
        return queue
    return queue if ranked is None else msgspec.structs.replace(queue, rank=ranked[0], rank_percentile=ranked[1])


def _gather_past(past: PastState, settings: Settings, at: float, log: Log, notes: list[str]) -> Evidence:
    source = f"based on frames 1 to {past.frames:,} of {log.end.frames:,}: what was committed by then"
    notes.append(source if past.frames else "nothing had been committed by then: the crawl started later")
    notes.append("scope, traps and identity are judged by the present settings: earlier ones are not stored")
    return Evidence(restore_settings(settings, past.run), past.catalog, Trace(past.found, None), None, at)


def _build_explanation(
    text: str,
    identity: IdentityFacts,
    url: Url,
    evidence: Evidence,
    crawl: Crawl,
    log: Log | None,
    notes: list[str],
    at: float | None = None,
) -> Explanation:
    """The path to the seed comes from the present catalog, also for the past: it does not change."""
    catalog, settings = evidence.catalog, evidence.settings
    is_before = at is not None and not catalog.runs()
    page = catalog.page(url.key) or evidence.trace.page
    host, order = catalog.host(url.host), find_order(catalog, url.host)
    scope = judge_scope(url, settings, catalog)
    robots = judge_robots(url, settings, catalog)
    queue = describe_queue(url, settings, catalog, page, evidence.trace, evidence.store, host, robots, evidence.now)
    if at is None:
        queue = _add_rank(queue, crawl, url)
    ending = None if page is None else describe_ending(page, settings.fetch.max_links, _find_canonical(catalog, page))
    if ending is None and queue.state is None and at is None:
        notes += describe_unread_links(catalog, settings.fetch.max_links)
        if scope.refused is None and not settings.scope.follow_nofollow:
            notes.append(
                "links that say nofollow, or are on a page that does, are not followed: it may have such links"
            )
        if scope.refused in NOT_STORED:
            notes.append(
                "links that lead out of the scope, or that --include or --exclude refuses, are not stored individually"
            )
    if page is not None and page["url"] != url.href:
        notes.append(f"it was crawled as {page['url']}, which is the same URL to this crawl")
    path = trace_to_seed(crawl.catalog, page, evidence.trace.found)
    fetches = catalog.fetches(url.key)
    links = None
    if log is not None and path:
        with _note_errors(notes):
            links = find_links(log, url.key, path, (fetch["sequence"] for fetch in fetches))
    return Explanation(
        url=text,
        summary=NOT_STARTED
        if is_before
        else _summarise(ending, queue, scope, robots, evidence.store.budget if evidence.store else None),
        identity=identity,
        discovery=path,
        scope=None if is_before else scope,
        robots=None if is_before else robots,
        queue=queue,
        budget=evidence.store.budget if evidence.store else None,
        host=describe_host(host, settings, order),
        links=links,
        ending=ending,
        requests=list_requests(fetches),
        sent=list_recent_attempts(crawl.attempts, url.key, evidence.now),
        at=at,
        notes=notes,
    )


def _find_canonical(catalog: Catalog, page: dict[str, Any]) -> str | None:
    """The URL of the page of which it is a near copy; its key, if the catalog does not have it yet."""
    key = page.get("near_of")
    if key is None:
        return None
    canonical = catalog.page(key)
    return f"the page with the key {key.hex()}" if canonical is None else str(canonical["url"])


def _open_log(crawl: Crawl, notes: list[str]) -> Log | None:
    try:
        return crawl.log
    except HondiusError as error:
        notes.append(f"the log cannot be read: {error}")
        return None


def _is_in_future(log: Log, at: float) -> bool:
    """True if `at` is later than both the clock and the log: the clock of this machine may be behind the log."""
    if at <= SystemClock().now():
        return False
    return all(frame.at < at for frame in log.newest(1))


@contextmanager
def _note_errors(notes: list[str]) -> Iterator[None]:
    """Turns errors of the log into notes; the rest of the explanation does without it."""
    try:
        yield
    except HondiusError as error:
        notes.append(f"the log cannot be read: {error}")


def _summarise(
    ending: EndingFacts | None,
    queue: QueueFacts,
    scope: ScopeFacts,
    robots: RobotsFacts,
    budget: BudgetFacts | None,
) -> str:
    if ending is not None:
        words = [ending.state, *([ending.cause] if ending.cause else [])]
        if ending.status is not None and str(ending.status) not in ending.cause:
            words.append(f"status {ending.status}")
        again = f"; it is {queue.state} again" if queue.state in WAITING else ""
        return "it ended: " + ", ".join(words) + again + (_format_reason(queue) if again else "")
    if queue.state is not None:
        return f"it is {queue.state}{_format_reason(queue)}"
    seen = "it is not stored; " if scope.refused in NOT_STORED else "it is unknown to the crawl; "
    return seen + _predict(scope, robots, budget)


def _format_reason(queue: QueueFacts) -> str:
    return f": {queue.waits[0]}" if queue.waits else ""


def _predict(scope: ScopeFacts, robots: RobotsFacts, budget: BudgetFacts | None) -> str:
    if scope.blacklisted is not None:
        return f"a link to it would be refused: {scope.blacklisted} is on the blacklist"
    if scope.refused is not None:
        why = f" ({EXCLUDED_BY[scope.excluded_by]})" if scope.excluded_by else ""
        return f"a link to it would be refused: {scope.refused}{why}"
    if budget is not None and (refused := find_refusal(budget)):
        return f"a link to it would be refused: {refused}"
    if robots.allowed is False:
        return "a link to it would be admitted, but robots.txt forbids the request"
    return "a link to it would be admitted"
