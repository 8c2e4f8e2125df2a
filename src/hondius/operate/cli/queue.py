"""The note `queue.json`: how much is queued, as the running crawl last recorded it.

Only one process can open the URL store, and opening a large one takes a while. Commands that only need the counts read
this note instead, also while the crawl runs or where the directory is read-only. The note is not part of the durable
state: if it is lost, the next run writes it again.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hondius.clock import AGREES_WITHIN, Clock
from hondius.hints import quote_command
from hondius.model import FOREVER, Blacklisted, HostOrder
from hondius.operate.cli.quantities import format_count, format_moment, format_seconds
from hondius.ports import Place

if TYPE_CHECKING:
    from hondius.crawler.assemble import OpenCrawl

FILE = "queue.json"
RECENT = 60.0
LARGEST = 1_000_000
SHOWN_CHANGES = 5


class Queue(msgspec.Struct, frozen=True):
    at: float
    urls: int
    hosts: int
    """Hosts with queued URLs, without those that have reached a limit."""
    ready: int
    resting: int
    """Hosts that wait for longer than a minute: failing, backing off or paused."""
    asleep: int
    """Hosts that this run has not considered yet."""
    next_at: float | None
    """When the next host may be contacted; a time in the past means at once. None if no host waits for a time."""
    parked: int
    """URLs deeper than --max-depth."""
    spent: dict[str, int]
    """Hosts that have reached a limit, by limit."""
    queued_since: int = 0
    """URLs that orders queued after `at`, while the crawl was not running."""
    ahead: float = 0.0
    """Seconds by which the crawl's clock is ahead of the wall clock, if that was set back during the run."""


def measure_queue(crawl: "OpenCrawl") -> Queue:
    """Takes the same time for ten URLs as for fifty million. Times are wall-clock times: other processes read them."""
    counts, frontier, now = crawl.urls.counts(), crawl.frontier, time.time()
    due = frontier.find_next_time()
    return Queue(
        at=now,
        urls=counts["queued"],
        hosts=len(frontier),
        ready=frontier.count_ready(),
        resting=frontier.count_resting(),
        asleep=frontier.count_asleep(),
        next_at=due if due in (None, 0.0, FOREVER) else now + due - crawl.clock.now(),
        parked=counts["parked"],
        spent=dict(frontier.shelved),
        ahead=measure_clock_lead(crawl.clock, now),
    )


def measure_clock_lead(clock: Clock, wall: float) -> float:
    ahead = clock.now() - wall
    return ahead if abs(ahead) > AGREES_WITHIN else 0.0


def describe_unfinished_seeds(seeds: Sequence[tuple[str, int]]) -> Iterator[str]:
    """For a crawl that ended before it had read all seeds of a source: (name, seeds read)."""
    for name, taken in seeds:
        yield (
            f"only the first {format_count(taken, 'seed')} of {name} had been taken when the crawl ended: "
            "the same command takes the others"
        )


def write_queue(place: Place, queue: Queue) -> None:
    """The note may be lost; if the disk is full, the old one stays."""
    place.write_note(FILE, msgspec.json.encode(queue))


def read_queue(place: Place) -> Queue | None:
    written = place.read_note(FILE, LARGEST)
    try:
        return None if written is None else msgspec.json.decode(written, type=Queue)
    except (msgspec.DecodeError, RecursionError):
        return None


def add_queued(place: Place, count: int) -> None:
    """Adds the URLs that an order queued to the note of a crawl that is not running."""
    if count and (queue := read_queue(place)) is not None:
        write_queue(place, msgspec.structs.replace(queue, queued_since=queue.queued_since + count))


def list_later_changes(queue: Queue | None, orders: Sequence[HostOrder | Blacklisted]) -> list[str]:
    """Orders given after the note was written, while the crawl was not running: the newest, and how many others."""
    if queue is None:
        return []
    newer = sorted((order for order in orders if order.at > queue.at), key=lambda order: order.at)
    changes = [describe_past_order(order) for order in newer[-SHOWN_CHANGES:]]
    if len(newer) > SHOWN_CHANGES:
        changes.append(f"{format_count(len(newer) - SHOWN_CHANGES, 'other order')} came before")
    if queue.queued_since:
        changes.append(
            f"{format_count(queue.queued_since, 'URL')} {'was' if queue.queued_since == 1 else 'were'} queued"
        )
    return changes


def describe_past_order(order: HostOrder | Blacklisted) -> str:
    if isinstance(order, Blacklisted):
        return f"{order.domain} was {'taken off' if order.lifted else 'put on'} the blacklist"
    if order.paused_until is not None:
        return f"{order.host} was paused"
    return f"{order.host} was {'unpaused' if order.delay is None else 'slowed down'}"


def format_later_changes(directory: Path, since: Sequence[str]) -> str:
    return f"since then: {', '.join(since)}; {quote_command('resume', directory)} continues the crawl"


def format_queue(queue: Queue | None, now: float, since: Sequence[str] = ()) -> Iterator[str]:
    """`since`: later changes. If there are any, the time of the next request is unknown."""
    if queue is None:
        yield "queue: unknown until the crawl has run again"
        return
    age = now - queue.at
    when = f"{format_seconds(max(0.0, age))} ago" if age < RECENT else f"at {format_moment(queue.at)}"
    soon = max(0, queue.hosts - queue.ready - queue.resting - queue.asleep)
    kinds = {"ready": queue.ready, "due soon": soon, "resting": queue.resting}
    names = [f"{count:,} {name}" for name, count in kinds.items() if count]
    if queue.asleep:
        names.append(f"{format_count(queue.asleep, 'host')} not contacted yet in this run")
    hosts = ", ".join(names)
    elsewhere = sum(queue.spent.values())
    waits = f"{format_count(queue.urls, 'URL')} waited on {format_count(queue.hosts + elsewhere, 'host')}"
    yield f"queue, {when}: {waits}{f' ({hosts})' if hosts else ''}{'' if since else _describe_next(queue, now)}"
    for limit, count in queue.spent.items():
        yield f"  {count:,} of these hosts had reached {limit}"
    if queue.parked:
        yield f"  {format_count(queue.parked, 'other URL')} waited beyond --max-depth"


def _describe_next(queue: Queue, now: float) -> str:
    if queue.next_at is None:
        return ""
    return f"; the next request {describe_due(queue.next_at, now)}"


def describe_due(at: float, now: float) -> str:
    if at >= FOREVER:
        return "is due when a host is unpaused"
    return f"is due in {format_seconds(at - now)}" if at > now else "is due"
