"""What waits, as the running crawl last wrote it down: the note `queue.json` of its place.

The URL store has one owner, and opening that of a large crawl takes a while: whoever only wants to know how much waits
reads this instead, also of a crawl that runs, rests, or lies where nothing can be written. It is no part of the truth:
lost, it is written again by the next run.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hondius.clock import AGREES_WITHIN, Clock
from hondius.hints import quote_command
from hondius.model import FOREVER, Blacklisted, HostOrder
from hondius.operate.cli.quantities import counted, shown_moment, shown_seconds
from hondius.ports import Place

if TYPE_CHECKING:
    from hondius.crawler.assemble import OpenCrawl

FILE = "queue.json"
LATELY = 60.0
LARGEST = 1_000_000
SHOWN_SINCE = 5


class Queue(msgspec.Struct, frozen=True):
    at: float
    urls: int
    hosts: int
    """Those that have something queued, but for those that have had their share."""
    ready: int
    resting: int
    """Those that wait for longer than a minute: failing, pushed back, paused."""
    asleep: int
    """Those that nobody has looked at yet."""
    next_at: float | None
    """When the next of them may be contacted; in the past: at once. None: nothing waits for a time."""
    parked: int
    """URLs that are deeper than --max-depth."""
    spent: dict[str, int]
    """Hosts that have had their share, by the limit."""
    queued_since: int = 0
    """URLs that orders queued after that, while the crawl rested."""
    ahead: float = 0.0
    """Seconds by which the crawl's clock was ahead of the wall clock, which was set back since the crawl began."""


def queue_of(crawl: "OpenCrawl") -> Queue:
    """Costs the same for ten URLs as for fifty million. Other processes read it, so its times are the wall clock's."""
    counts, frontier, now = crawl.urls.counts(), crawl.frontier, time.time()
    due = frontier.next_time()
    return Queue(
        at=now,
        urls=counts["queued"],
        hosts=len(frontier),
        ready=frontier.ready(),
        resting=frontier.resting(),
        asleep=frontier.asleep(),
        next_at=due if due in (None, 0.0, FOREVER) else now + due - crawl.clock.now(),
        parked=counts["parked"],
        spent=dict(frontier.shelved),
        ahead=ahead_of_wall(crawl.clock, now),
    )


def ahead_of_wall(clock: Clock, wall: float) -> float:
    ahead = clock.now() - wall
    return ahead if abs(ahead) > AGREES_WITHIN else 0.0


def unfinished_lines(seeds: Sequence[tuple[str, int]]) -> Iterator[str]:
    """Of a crawl that ended before it had all seeds of a source: (name, how many it has)."""
    for name, taken in seeds:
        yield (
            f"only the first {counted(taken, 'seed')} of {name} had been taken when the crawl ended: "
            "give the same command as then, and it takes the others"
        )


def write_down(place: Place, queue: Queue) -> None:
    """News, not truth: it may be lost, and a full disk keeps the old one."""
    place.write_note(FILE, msgspec.json.encode(queue))


def last_written(place: Place) -> Queue | None:
    written = place.read_note(FILE, LARGEST)
    try:
        return None if written is None else msgspec.json.decode(written, type=Queue)
    except (msgspec.DecodeError, RecursionError):
        return None


def note_queued(place: Place, count: int) -> None:
    """Of a crawl that rests: what it wrote down stays, and what an order queued is told beside it."""
    if count and (queue := last_written(place)) is not None:
        write_down(place, msgspec.structs.replace(queue, queued_since=queue.queued_since + count))


def since_then(queue: Queue | None, orders: Sequence[HostOrder | Blacklisted]) -> list[str]:
    """What a crawl that rests was told after it wrote its queue down; the newest orders, and how many others."""
    if queue is None:
        return []
    newer = sorted((order for order in orders if order.at > queue.at), key=lambda order: order.at)
    told = [in_the_past(order) for order in newer[-SHOWN_SINCE:]]
    if len(newer) > SHOWN_SINCE:
        told.append(f"{counted(len(newer) - SHOWN_SINCE, 'other order')} came before")
    if queue.queued_since:
        told.append(f"{counted(queue.queued_since, 'URL')} {'was' if queue.queued_since == 1 else 'were'} queued")
    return told


def in_the_past(order: HostOrder | Blacklisted) -> str:
    if isinstance(order, Blacklisted):
        return f"{order.domain} was {'taken off' if order.lifted else 'put on'} the blacklist"
    if order.paused_until is not None:
        return f"{order.host} was paused"
    return f"{order.host} was {'unpaused' if order.delay is None else 'slowed down'}"


def since_line(directory: Path, since: Sequence[str]) -> str:
    return f"since then: {', '.join(since)}; {quote_command('resume', directory)} goes on"


def queue_lines(queue: Queue | None, now: float, since: Sequence[str] = ()) -> Iterator[str]:
    """`since`: what happened after; when the next turn comes is then not known."""
    if queue is None:
        yield "queue: how much waits is known when the crawl has run again"
        return
    age = now - queue.at
    when = f"{shown_seconds(max(0.0, age))} ago" if age < LATELY else f"at {shown_moment(queue.at)}"
    soon = max(0, queue.hosts - queue.ready - queue.resting - queue.asleep)
    kinds = {"ready": queue.ready, "due soon": soon, "resting": queue.resting}
    names = [f"{count:,} {name}" for name, count in kinds.items() if count]
    if queue.asleep:
        names.append(f"{counted(queue.asleep, 'host')} not contacted yet in this run")
    hosts = ", ".join(names)
    elsewhere = sum(queue.spent.values())
    waits = f"{counted(queue.urls, 'URL')} waited on {counted(queue.hosts + elsewhere, 'host')}"
    yield f"queue, {when}: {waits}{f' ({hosts})' if hosts else ''}{'' if since else _next(queue, now)}"
    for limit, count in queue.spent.items():
        yield f"  {count:,} of these hosts had reached {limit}"
    if queue.parked:
        yield f"  {counted(queue.parked, 'other URL')} waited beyond --max-depth"


def _next(queue: Queue, now: float) -> str:
    if queue.next_at is None:
        return ""
    return f"; the next turn {due_in(queue.next_at, now)}"


def due_in(at: float, now: float) -> str:
    if at >= FOREVER:
        return "comes when a host is unpaused"
    return f"comes in {shown_seconds(at - now)}" if at > now else "is due"
