"""Puts the facts together."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hondius.clock import SystemClock
from hondius.errors import HondiusError
from hondius.native import Url
from hondius.opening import Crawl
from hondius.ports import Catalog, Log
from hondius.settings import Settings
from hondius.use.explain.budget import refusal_of
from hondius.use.explain.discovery import path_to_seed
from hondius.use.explain.ending import ending_of, requests_of
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
from hondius.use.explain.identity import identified
from hondius.use.explain.links import link_facts, unread_note
from hondius.use.explain.past import Past, fold, settings_then
from hondius.use.explain.trace import Trace, queued_again, trace_of
from hondius.use.explain.verdicts import robots_verdict, scope_verdict
from hondius.use.explain.waiting import (
    WAITING,
    StoreFacts,
    asked_store,
    host_facts,
    order_for,
    queue_facts,
    sent_lately,
)

BEFORE_IT_BEGAN = "the crawl had not begun by then"
UNKEPT = ("scope", "excluded")
"""Links that are refused for these are not written down: whether a page has one is not known."""


def explain_url(crawl: Crawl, text: str, at: float | None = None) -> Explanation:
    """Reads only, and while the crawl runs too; what cannot be looked at is among the notes. With `at`: what was known
    at that time, by the log alone."""
    identity, url = identified(text, crawl.settings)
    if url is None:
        return Explanation(text, f"this is no URL that can be crawled: {identity.reason}", identity, at=at)
    notes: list[str] = []
    log = _opened(crawl, notes)
    if at is not None and log is not None and _is_to_come(log, at):
        notes.append("the time asked for is still to come: this is what is known now")
        at = None
    if at is None:
        witnesses = _present(crawl, url, log, notes)
        return _explained(text, identity, url, witnesses, crawl, log, notes)
    if log is None:
        return Explanation(text, "nothing is known of the past: the log cannot be read", identity, notes=notes)
    with crawl.scratch_catalog() as scratch:
        witnesses = _past(fold(log, url, at, scratch), crawl.settings, at, log, notes)
        return _explained(text, identity, url, witnesses, crawl, log, notes, at)


@dataclass(frozen=True, slots=True)
class Witnesses:
    """Whoever is asked: the views of now, or those of a time in the past."""

    settings: Settings
    catalog: Catalog
    trace: Trace
    store: StoreFacts | None
    now: float


def _present(crawl: Crawl, url: Url, log: Log | None, notes: list[str]) -> Witnesses:
    catalog = crawl.catalog
    store = asked_store(crawl, url, log, notes)
    trace = Trace(None, None)
    if catalog.has_ended(url.key):
        trace = Trace(None, None, again=_is_queued_again(url, catalog, store, log, notes))
    elif log is not None:
        with _noted(notes):
            trace = trace_of(log, url.key, catalog.position)
        if store is not None and (behind := store.applied.frames_behind(log.end)):
            frames = f"{behind:,} frame{'' if behind == 1 else 's'}"
            notes.append(f"the URL store is {frames} behind the log; the next start catches up")
    return Witnesses(crawl.settings, catalog, trace, store, SystemClock().now())


def _is_queued_again(url: Url, catalog: Catalog, store: StoreFacts | None, log: Log | None, notes: list[str]) -> bool:
    """Of a URL that has ended. A store that lags behind the catalog may not have heard of the end."""
    if store is not None and store.applied.covers(catalog.position):
        return store.state in WAITING
    if log is not None:
        with _noted(notes):
            return queued_again(log, url.key)
    return False


def _past(past: Past, settings: Settings, at: float, log: Log, notes: list[str]) -> Witnesses:
    told_by = f"told by frames 1 to {past.frames:,} of {log.end.frames:,}: what was committed by then"
    notes.append(told_by if past.frames else "nothing had been committed by then: the crawl began later")
    notes.append("scope, traps and identity are judged by today's settings: earlier ones are not kept")
    return Witnesses(settings_then(settings, past.run), past.catalog, Trace(past.found, None), None, at)


def _explained(
    text: str,
    identity: IdentityFacts,
    url: Url,
    asked: Witnesses,
    crawl: Crawl,
    log: Log | None,
    notes: list[str],
    at: float | None = None,
) -> Explanation:
    """Also for the past, the catalog of now knows whatever led to this URL: that had ended before, and how it was found
    does not change."""
    catalog, settings = asked.catalog, asked.settings
    is_before = at is not None and not catalog.runs()
    page = catalog.page(url.key) or asked.trace.page
    host, order = catalog.host(url.host), order_for(catalog, url.host)
    scope = scope_verdict(url, settings, catalog)
    robots = robots_verdict(url, settings, catalog)
    queue = queue_facts(url, settings, catalog, page, asked.trace, asked.store, host, robots, asked.now)
    ending = None if page is None else ending_of(page, settings.fetch.max_links)
    if ending is None and queue.state is None and at is None:
        notes += unread_note(catalog, settings.fetch.max_links)
        if scope.refused in UNKEPT:
            notes.append(
                "links that lead out of the scope, or that --include or --exclude keeps out, are not kept one by one"
            )
    path = path_to_seed(crawl.catalog, page, asked.trace.found)
    fetches = catalog.fetches(url.key)
    links = None
    if log is not None and path:
        with _noted(notes):
            links = link_facts(log, url.key, path, (fetch["sequence"] for fetch in fetches))
    return Explanation(
        url=text,
        summary=BEFORE_IT_BEGAN
        if is_before
        else _summary(ending, queue, scope, robots, asked.store.budget if asked.store else None),
        identity=identity,
        discovery=path,
        scope=None if is_before else scope,
        robots=None if is_before else robots,
        queue=queue,
        budget=asked.store.budget if asked.store else None,
        host=host_facts(host, settings, order),
        links=links,
        ending=ending,
        requests=requests_of(fetches),
        sent=sent_lately(crawl.attempts, url.key, asked.now),
        at=at,
        notes=notes,
    )


def _opened(crawl: Crawl, notes: list[str]) -> Log | None:
    try:
        return crawl.log
    except HondiusError as error:
        notes.append(f"the log cannot be read: {error}")
        return None


def _is_to_come(log: Log, at: float) -> bool:
    """Neither the clock nor the log has come so far; the clock of another machine may be behind the log's."""
    if at <= SystemClock().now():
        return False
    return all(frame.at < at for frame in log.newest(1))


@contextmanager
def _noted(notes: list[str]) -> Iterator[None]:
    """What the log cannot tell is told by the rest."""
    try:
        yield
    except HondiusError as error:
        notes.append(f"the log cannot be read: {error}")


def _summary(
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
        return "it ended: " + ", ".join(words) + again + (_because(queue) if again else "")
    if queue.state is not None:
        return f"it is {queue.state}{_because(queue)}"
    seen = "it is not kept; " if scope.refused in UNKEPT else "nobody has seen it; "
    return seen + _prospect(scope, robots, budget)


def _because(queue: QueueFacts) -> str:
    return f": {queue.waits[0]}" if queue.waits else ""


def _prospect(scope: ScopeFacts, robots: RobotsFacts, budget: BudgetFacts | None) -> str:
    if scope.blacklisted is not None:
        return f"a link to it would be refused: {scope.blacklisted} is on the blacklist"
    if scope.refused is not None:
        why = f" ({EXCLUDED_BY[scope.excluded_by]})" if scope.excluded_by else ""
        return f"a link to it would be refused: {scope.refused}{why}"
    if budget is not None and (refused := refusal_of(budget)):
        return f"a link to it would be refused: {refused}"
    if robots.allowed is False:
        return "a link to it would be admitted, and robots.txt forbids to request it"
    return "a link to it would be admitted"
