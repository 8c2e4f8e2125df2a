"""Describes the note `queue.json` for people: how much is queued, and when the next request is due."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from hondius.hints import quote_command
from hondius.model import FOREVER, INTERNAL, Blacklisted, HostOrder
from hondius.quantities import format_count, format_moment, format_seconds
from hondius.session.queue import Queue

RECENT = 60.0
SHOWN_CHANGES = 5


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


def format_queue(
    queue: Queue | None, now: float, since: Sequence[str] = (), *, is_running: bool = True
) -> Iterator[str]:
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
        names.append(f"{queue.asleep:,} not scheduled yet")
    origins = ", ".join(names)
    elsewhere = sum(queue.spent.values())
    waits = f"{format_count(queue.urls, 'URL')} waited on {format_count(queue.hosts + elsewhere, 'origin')}"
    due = "" if since else _describe_next(queue, now, is_running)
    yield f"queue, {when}: {waits}{f' ({origins})' if origins else ''}{due}"
    for limit, count in queue.spent.items():
        met = "had met internal failures" if limit == INTERNAL else f"had reached {limit}"
        yield f"  {count:,} of these origins {met}"
    if queue.parked:
        yield f"  {format_count(queue.parked, 'other URL')} waited beyond --max-depth"


def _describe_next(queue: Queue, now: float, is_running: bool) -> str:
    if queue.next_at is None:
        return ""
    if queue.next_at <= now and not is_running:
        return "; the next request is sent when the crawl is resumed"
    return f"; the next request {describe_due(queue.next_at, now)}"


def describe_due(at: float, now: float) -> str:
    if at >= FOREVER:
        return "is due when a host is unpaused"
    return f"is due in {format_seconds(at - now)}" if at > now else "is due"
