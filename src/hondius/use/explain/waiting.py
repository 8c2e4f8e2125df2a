"""Whether a URL is queued, what it waits for, and the state of its host."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hondius.crawler.commit import catch_up_urls
from hondius.crawler.frontier.frontier import compute_class
from hondius.crawler.politeness import Host
from hondius.errors import BrokenView, HaltedView
from hondius.hints import quote_command
from hondius.model import HostOrder, HostState
from hondius.native import DiscoveredUrl, NativeError, Url
from hondius.opening import Crawl
from hondius.opening.url_store import UrlStoreUnavailable
from hondius.ports import Attempts, Catalog, Log, UrlStore, find_position
from hondius.position import Position
from hondius.settings import Settings
from hondius.use.explain.budget import read_budget
from hondius.use.explain.explanation import BudgetFacts, HostFacts, QueueFacts, RobotsFacts, Sent
from hondius.use.explain.trace import Trace

MAX_POSITION = 100_000
"""Positions in the queue that are searched."""
STEP = 1_000
WAITING = ("queued", "parked")


@dataclass(frozen=True, slots=True)
class StoreFacts:
    state: str | None
    waiting_in_origin: int | None
    applied: Position
    budget: BudgetFacts
    before: int | None = None


def read_store(crawl: Crawl, url: Url, log: Log | None, notes: list[str]) -> StoreFacts | None:
    """None if the URL store cannot be read; the reason is added to the notes."""
    try:
        with crawl.open_idle_urls() as store:
            if log is not None:
                with suppress(HaltedView):  # it lags behind then, and a note says so
                    catch_up_urls(log, store)
            return _read_facts(store, crawl.settings, url, crawl.catalog)
    except UrlStoreUnavailable as unavailable:
        notes.append(str(unavailable))
    except (BrokenView, NativeError) as error:
        reason = error.reason if isinstance(error, BrokenView) else f"cannot be read ({error})"
        remedy = f"{quote_command('rebuild', crawl.name)} rebuilds it, as the next crawl does by itself"
        notes.append(f"the URL store {reason}, so catalog and log were used instead: {remedy}")
    return None


def _read_facts(store: UrlStore, settings: Settings, url: Url, catalog: Catalog) -> StoreFacts:
    number = store.number(url.origin)
    budget = read_budget(url, settings, store, catalog)
    if number is None:
        return StoreFacts(store.state(url.key), 0, find_position(store), budget)
    waiting = store.queued(number)
    before = _find_position(store, number, url.key, settings.scope.max_depth)
    return StoreFacts(store.state(url.key), waiting, find_position(store), budget, before)


def _find_position(store: UrlStore, origin: int, key: bytes, max_depth: int | None) -> int | None:
    """Takes URLs from the queue until it finds the key. That writes nothing, and closing the store undoes it."""
    before = 0
    while before < MAX_POSITION and (urls := store.take(origin, STEP, max_depth=max_depth)):
        for url in urls:
            if url.key == key:
                return before
            before += 1
    return None


def describe_queue(
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
    """A URL that has ended is finished unless an order queued it again. Otherwise the URL store decides; if it lags or
    is not available, the log does."""
    found = trace.found
    priority = page["priority"] if page is not None else (found.priority if found is not None else None)
    if page is None and trace.priority is not None:
        priority = trace.priority
    band = None if priority is None else compute_class(priority)
    waiting = store.waiting_in_origin if store else None
    if page is not None and not trace.again:
        return QueueFacts("finished", "catalog", priority, band, waiting)
    state, told_by = (store.state if store else None), "URL store"
    if trace.again and state not in WAITING:
        state, told_by = "queued", "log"
    elif state is None:
        state, told_by = _infer_state(found, settings), "log"
    if state is None:
        return QueueFacts(None, "URL store" if store else "log", waiting_in_origin=waiting)
    retry = catalog.retry(url.key)
    tries, retry_at = (retry.count, retry.not_before) if retry else (0, None)
    waits, times = _list_waits(state, settings, host, robots, retry_at, find_order(catalog, url.host), now)
    deferred = found is not None and found.deferred
    if deferred:
        waits.append("it waits behind all others: its host had exceeded traps.max_new_per_minute")
    before = store.before if store else None
    return QueueFacts(state, told_by, priority, band, waiting, before, tries, deferred, waits, max(times, default=None))


def _infer_state(found: DiscoveredUrl | None, settings: Settings) -> str | None:
    if found is None:
        return None
    deepest = settings.scope.max_depth
    return "parked" if deepest is not None and found.kind == "page" and found.depth > deepest else "queued"


def find_order(catalog: Catalog, host: str) -> HostOrder | None:
    return next((order for order in catalog.host_orders() if order.host == host), None)


def _list_waits(
    state: str,
    settings: Settings,
    host: HostState | None,
    robots: RobotsFacts,
    retry_at: float | None,
    order: HostOrder | None,
    now: float,
) -> tuple[list[str], list[float]]:
    """The reasons why it is not requested now, and the times until which they hold."""
    waits, times = [], []
    if state == "parked":
        waits.append("it is deeper than --max-depth")
    if host is not None and host.fetched >= settings.scope.max_pages_per_host:
        waits.append("its host has reached --max-pages-per-host")
    if robots.outcome == "unreachable" and robots.allowed is None:
        waits.append("its robots.txt cannot be reached and will be retried")
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
        waits.append("it failed and will be retried")
        times.append(retry_at)
    return waits, times


def describe_host(record: HostState | None, settings: Settings, order: HostOrder | None) -> HostFacts | None:
    if record is None:
        return None
    return HostFacts(
        host=record.host,
        at=record.at,
        not_before=record.not_before,
        delay=Host(record.host, settings.politeness, record, order).delay(),
        back_off=record.back_off,
        crawl_delay=record.crawl_delay,
        address=_format_address(record.address),
        fetched=record.fetched,
        failed=record.failed,
        average_response=record.seconds / record.fetched if record.fetched else None,
        consecutive_failures=record.consecutive_failures,
        circuit_until=record.circuit_until or None,
        paused_until=order.paused_until if order else None,
        ordered_delay=order.delay if order else None,
        order_reason=order.reason if order else "",
    )


def list_recent_attempts(attempts: Attempts, key: bytes, until: float) -> list[Sent]:
    """Reads the attempt records of the latest run, which have a request before any frame has it."""
    return [
        Sent(attempt.at, attempt.ended, attempt.address, attempt.status or None)
        for attempt in attempts.newest()
        if attempt.key == key and attempt.sent and attempt.at <= until
    ]


def _format_address(address: str | None) -> str | None:
    """Port 0 stands for the port of the URL and is not shown."""
    return None if address is None else address.removesuffix(":0")
