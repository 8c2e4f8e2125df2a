"""The note `queue.json`: how much is queued, as the running crawl last recorded it.

Only one process can open the URL store, and opening a large one takes a while. Commands that only need the counts read
this note instead, also while the crawl runs or where the directory is read-only. The note is not part of the durable
state: if it is lost, the next run writes it again.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import msgspec

from hondius.clock import AGREES_WITHIN, Clock
from hondius.model import FOREVER
from hondius.ports import Place
from hondius.quantities import format_count

if TYPE_CHECKING:
    from hondius.crawler.assemble import OpenCrawl

FILE = "queue.json"
LARGEST = 1_000_000
NOTE_INTERVAL = 2.0


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
    plan: dict[str, float] | None = None
    """With a budget for recrawls: what the plan in force achieves (`Plan.describe`)."""
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
        plan=crawl.describe_plan(),
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


@asynccontextmanager
async def note_queue(crawl: "OpenCrawl", place: Place) -> AsyncIterator[None]:
    """Writes the note every few seconds while the crawl runs, for other processes."""
    over = asyncio.Event()
    written = asyncio.create_task(_write_notes(crawl, place, over))
    try:
        yield
    finally:
        over.set()
        await asyncio.gather(written, return_exceptions=True)


async def _write_notes(crawl: "OpenCrawl", place: Place, over: asyncio.Event) -> None:
    """Never cancelled: a thread that is still writing could overwrite the last note."""
    while not over.is_set():
        await asyncio.to_thread(write_queue, place, measure_queue(crawl))
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), NOTE_INTERVAL)
