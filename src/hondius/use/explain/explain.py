"""Puts the facts together."""

from contextlib import closing
from pathlib import Path

from hondius.errors import HondiusError
from hondius.native import Url
from hondius.settings import Settings
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.log.embedded import EmbeddedLog
from hondius.use.explain.budget import refusal_of
from hondius.use.explain.discovery import path_to_seed
from hondius.use.explain.ending import ending_of, requests_of
from hondius.use.explain.explanation import (
    BudgetFacts,
    EndingFacts,
    Explanation,
    IdentityFacts,
    QueueFacts,
    RobotsFacts,
    ScopeFacts,
)
from hondius.use.explain.identity import identified
from hondius.use.explain.trace import Trace, trace_of
from hondius.use.explain.verdicts import robots_verdict, scope_verdict
from hondius.use.explain.waiting import StoreFacts, asked_store, host_facts, queue_facts, sent_lately


def explain_url(directory: Path, text: str, settings: Settings, catalog: EmbeddedCatalog) -> Explanation:
    """Reads only, and while the crawl runs too; what cannot be looked at is among the notes."""
    identity, url = identified(text, settings)
    if url is None:
        return Explanation(text, f"this is no URL that can be crawled: {identity.reason}", identity)
    return _explained(directory, text, settings, catalog, identity, url)


def _explained(
    directory: Path, text: str, settings: Settings, catalog: EmbeddedCatalog, identity: IdentityFacts, url: Url
) -> Explanation:
    notes: list[str] = []
    with closing(EmbeddedDisk(directory)) as disk:
        page = catalog.page(url.key)
        store = asked_store(directory, settings, url, catalog, notes)
        trace = Trace(None, None) if page is not None else _traced(disk, url, catalog, store, notes)
        page = page or trace.page
        host = catalog.host(url.host)
        scope = scope_verdict(url, settings, catalog)
        robots = robots_verdict(url, settings, catalog)
        queue = queue_facts(url, settings, catalog, page, trace.found, store, host, robots)
        ending = None if page is None else ending_of(page)
        return Explanation(
            url=text,
            summary=_summary(ending, queue, scope, robots, store.budget if store else None),
            identity=identity,
            discovery=path_to_seed(catalog, page, trace.found),
            scope=scope,
            robots=robots,
            queue=queue,
            budget=store.budget if store else None,
            host=host_facts(host, settings),
            ending=ending,
            requests=requests_of(catalog.fetches(url.key)),
            sent=sent_lately(disk, url.key),
            notes=notes,
        )


def _traced(
    disk: EmbeddedDisk, url: Url, catalog: EmbeddedCatalog, store: StoreFacts | None, notes: list[str]
) -> Trace:
    try:
        log = EmbeddedLog(disk, read_only=True)
        trace = trace_of(log, url.key, catalog.applied)
    except HondiusError as error:
        notes.append(f"the log cannot be read: {error}")
        return Trace(None, None)
    if store is not None and store.applied < log.last_sequence:
        notes.append(f"urls/ is {log.last_sequence - store.applied:,} frames behind the log; the next start catches up")
    return trace


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
        return "it ended: " + ", ".join(words)
    if queue.state is not None:
        return f"it is {queue.state}" + (f": {queue.waits[0]}" if queue.waits else "")
    return "nobody has seen it; " + _prospect(scope, robots, budget)


def _prospect(scope: ScopeFacts, robots: RobotsFacts, budget: BudgetFacts | None) -> str:
    if scope.blacklisted is not None:
        return f"a link to it would be refused: {scope.blacklisted} is on the blacklist"
    if scope.refused is not None:
        return f"a link to it would be refused: {scope.refused}"
    if budget is not None and (refused := refusal_of(budget)):
        return f"a link to it would be refused: {refused}"
    if robots.allowed is False:
        return "a link to it would be admitted, and robots.txt forbids to request it"
    return "a link to it would be admitted"
