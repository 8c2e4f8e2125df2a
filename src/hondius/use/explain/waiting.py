"""Whether a URL waits, for what, and what its host's clock says."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hondius.crawler.commit import catch_up_urls
from hondius.crawler.frontier.frontier import class_of
from hondius.crawler.politeness import Host
from hondius.errors import BrokenView, HaltedView
from hondius.hints import quote_command
from hondius.model import HostOrder, HostState
from hondius.native import DiscoveredUrl, NativeError, Url
from hondius.opening import Crawl
from hondius.opening.url_store import UrlStoreUnavailable
from hondius.ports import Attempts, Catalog, Log, UrlStore, applied_by
from hondius.position import Position
from hondius.settings import Settings
from hondius.use.explain.budget import budget_facts
from hondius.use.explain.explanation import BudgetFacts, HostFacts, QueueFacts, RobotsFacts, Sent
from hondius.use.explain.trace import Trace

FARTHEST = 100_000
"""Places in line that are looked at."""
STEP = 1_000
WAITING = ("queued", "parked")


@dataclass(frozen=True, slots=True)
class StoreFacts:
    state: str | None
    waiting_in_origin: int | None
    applied: Position
    budget: BudgetFacts
    before: int | None = None


def asked_store(crawl: Crawl, url: Url, log: Log | None, notes: list[str]) -> StoreFacts | None:
    """None where it cannot be asked, with the reason among the notes."""
    try:
        with crawl.open_idle_urls() as store:
            if log is not None:
                with suppress(HaltedView):  # then it lags, and the notes say so
                    catch_up_urls(log, store)
            return _facts(store, crawl.settings, url, crawl.catalog)
    except UrlStoreUnavailable as unavailable:
        notes.append(str(unavailable))
    except (BrokenView, NativeError) as error:
        reason = error.reason if isinstance(error, BrokenView) else f"cannot be read ({error})"
        remedy = f"{quote_command('rebuild', crawl.name)} makes it anew, as the next crawl does by itself"
        notes.append(f"the URL store {reason}, so that catalog and log were asked instead: {remedy}")
    return None


def _facts(store: UrlStore, settings: Settings, url: Url, catalog: Catalog) -> StoreFacts:
    number = store.number(url.origin)
    budget = budget_facts(url, settings, store, catalog)
    if number is None:
        return StoreFacts(store.state(url.key), 0, applied_by(store), budget)
    waiting = store.queued(number)
    before = _place_in_line(store, number, url.key, settings.scope.max_depth)
    return StoreFacts(store.state(url.key), waiting, applied_by(store), budget, before)


def _place_in_line(store: UrlStore, origin: int, key: bytes, max_depth: int | None) -> int | None:
    """Handing out writes nothing: the line is walked, and forgotten when the store is closed."""
    before = 0
    while before < FARTHEST and (urls := store.take(origin, STEP, max_depth=max_depth)):
        for url in urls:
            if url.key == key:
                return before
            before += 1
    return None


def queue_facts(
    url: Url,
    settings: Settings,
    catalog: Catalog,
    page: dict[str, Any] | None,
    trace: Trace,
    store: StoreFacts | None,
    host: HostState | None,
    robots: RobotsFacts,
    now: float,
) -> QueueFacts:
    """What ended stays finished, unless an order queued it again. Of what waits, the store knows most; where it lags
    or is shut, the log decides."""
    found = trace.found
    priority = page["priority"] if page is not None else (found.priority if found is not None else None)
    band = None if priority is None else class_of(priority)
    waiting = store.waiting_in_origin if store else None
    if page is not None and not trace.again:
        return QueueFacts("finished", "catalog", priority, band, waiting)
    state, told_by = (store.state if store else None), "URL store"
    if trace.again and state not in WAITING:
        state, told_by = "queued", "log"
    elif state is None:
        state, told_by = _by_log(found, settings), "log"
    if state is None:
        return QueueFacts(None, "URL store" if store else "log", waiting_in_origin=waiting)
    retry = catalog.retry(url.key)
    tries, retry_at = (retry.count, retry.not_before) if retry else (0, None)
    waits, times = _waits(state, settings, host, robots, retry_at, order_for(catalog, url.host), now)
    deferred = found is not None and found.deferred
    if deferred:
        waits.append("it waits behind all others: its host had brought more new URLs in a minute than it may")
    before = store.before if store else None
    return QueueFacts(state, told_by, priority, band, waiting, before, tries, deferred, waits, max(times, default=None))


def _by_log(found: DiscoveredUrl | None, settings: Settings) -> str | None:
    if found is None:
        return None
    deepest = settings.scope.max_depth
    return "parked" if deepest is not None and found.kind == "page" and found.depth > deepest else "queued"


def order_for(catalog: Catalog, host: str) -> HostOrder | None:
    return next((order for order in catalog.host_orders() if order.host == host), None)


def _waits(
    state: str,
    settings: Settings,
    host: HostState | None,
    robots: RobotsFacts,
    retry_at: float | None,
    order: HostOrder | None,
    now: float,
) -> tuple[list[str], list[float]]:
    """Why it is not requested now, and the times before which it will not be."""
    waits, times = [], []
    if state == "parked":
        waits.append("it is deeper than --max-depth")
    if host is not None and host.fetched >= settings.scope.max_pages_per_host:
        waits.append("its host has reached --max-pages-per-host")
    if robots.outcome == "unreachable" and robots.allowed is None:
        waits.append("its robots.txt cannot be reached and will be tried again")
        times.append(robots.expires_at or 0.0)
    if order is not None and order.paused_until is not None and order.paused_until > now:
        waits.append(f"its host is paused: {order.reason or 'no reason given'}")
        times.append(order.paused_until)
    if host is not None and host.circuit_until > now:
        waits.append(f"its host failed {host.consecutive_failures} times in a row, and its circuit is open")
        times.append(host.circuit_until)
    if host is not None and host.not_before > now and settings.politeness.delay > 0:
        waits.append("its host may not be contacted yet")
        times.append(host.not_before)
    if retry_at is not None and retry_at > now:
        waits.append("it failed and will be tried again")
        times.append(retry_at)
    return waits, times


def host_facts(record: HostState | None, settings: Settings, order: HostOrder | None) -> HostFacts | None:
    if record is None:
        return None
    return HostFacts(
        host=record.host,
        at=record.at,
        not_before=record.not_before,
        delay=Host(record.host, settings.politeness, record, order).delay(),
        back_off=record.back_off,
        crawl_delay=record.crawl_delay,
        address=_shown_address(record.address),
        fetched=record.fetched,
        failed=record.failed,
        average_response=record.seconds / record.fetched if record.fetched else None,
        consecutive_failures=record.consecutive_failures,
        circuit_until=record.circuit_until or None,
        paused_until=order.paused_until if order else None,
        ordered_delay=order.delay if order else None,
        order_reason=order.reason if order else "",
    )


def sent_lately(attempts: Attempts, key: bytes, until: float) -> list[Sent]:
    """From the newest run's attempt records, which know of a request before any frame does."""
    return [
        Sent(attempt.at, attempt.ended, attempt.address, attempt.status or None)
        for attempt in attempts.newest()
        if attempt.key == key and attempt.sent and attempt.at <= until
    ]


def _shown_address(address: str | None) -> str | None:
    """Port 0 stands for the port of the URL: it is none that anybody could connect to."""
    return None if address is None else address.removesuffix(":0")
