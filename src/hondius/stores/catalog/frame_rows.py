"""Turns frames into rows. One `FrameRows` takes the frames of one transaction, and is discarded with it.

This runs for a thousand pages a second. So rows are the tuples of the events themselves, and of values that overwrite
each other (the state of a host, the length of a file) only the last is written.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec.structs import astuple

from hondius.model import (
    NOTHING_SENT,
    SAME_IDENTITY,
    AnyEvent,
    Archived,
    Blacklisted,
    Discovered,
    Extracted,
    Failed,
    Finished,
    FoundCloser,
    Frame,
    HostOrder,
    HostState,
    JudgedAgain,
    LeftOut,
    LinksKept,
    LinksRestored,
    RefusedMore,
    Reprioritised,
    Reread,
    Rewritten,
    RobotsCopy,
    RobotsHop,
    RunEnded,
    RunStarted,
    Salvaged,
    ScopeExtended,
    SeedsTaken,
    State,
)
from hondius.moves import decode_moves
from hondius.native import decode_discoveries, registrable_domain
from hondius.stores.catalog import schema

Row = tuple[Any, ...]
NOT_MODIFIED = 304
"""The status of a page that has not changed: everything known about it stays."""


class FrameRows:
    def __init__(self) -> None:
        self._pages: list[tuple[str, list[Row]]] = []
        """In the order of the frames: a shorter path may come before or after the end of its page."""
        self._extracted: dict[bytes, tuple[int, Row]] = {}
        """By key, with the frame: an end in a later frame replaces it."""
        self._fetches: list[Row] = []
        self._hosts: dict[str, Row] = {}
        self._robots: dict[str, Row] = {}
        self._errors: list[Row] = []
        self._retries: dict[bytes, Row | None] = {}
        self._blacklist: list[Row] = []
        self._host_orders: dict[str, Row] = {}
        self._scope: list[Row] = []
        self._seeds: dict[str, Row] = {}
        self._left_out: list[tuple[str, list[Row]]] = []
        self._archived: dict[str, Row] = {}
        self._rewritten: list[Rewritten] = []
        self._link_segments: dict[str, Row] = {}
        self._runs: list[tuple[str, Row]] = []
        self._totals: Counter[tuple[str, str, str]] = Counter()
        self._more: list[Row] = []
        self._wire_bytes = 0
        self._requests = 0
        """Requests for pages and robots.txt. Requests that reached no server are not counted."""
        self._unread_links = 0

    def add(self, frame: Frame) -> None:
        for position, event in enumerate(frame.events):
            self.add_event(event, frame.number, position)

    def add_event(self, event: AnyEvent, sequence: int, position: int) -> None:
        _HANDLERS[type(event)](self, event, sequence, position)

    def list_statements(self) -> Iterator[tuple[str, Sequence[Row]]]:
        """The statements to execute, in this order."""
        yield from self._pages
        yield schema.EXTRACTED, [row for _, row in self._extracted.values()]
        yield schema.INSERT_FETCH, self._fetches
        yield schema.UPSERT_HOST, list(self._hosts.values())
        yield schema.UPSERT_ROBOTS, list(self._robots.values())
        yield schema.UPSERT_ERROR, self._errors
        yield schema.DELETE_RETRY, [(key,) for key, row in self._retries.items() if row is None]
        yield schema.UPSERT_RETRY, [row for row in self._retries.values() if row is not None]
        yield schema.UPSERT_BLACKLIST, self._blacklist
        yield schema.UPSERT_HOST_ORDER, list(self._host_orders.values())
        yield schema.INSERT_SCOPE, self._scope
        yield schema.UPSERT_SEEDS, list(self._seeds.values())
        yield from self._left_out
        yield schema.UPSERT_ARCHIVED, list(self._archived.values())
        for rewritten in self._rewritten:
            yield from _list_moves(rewritten)
        yield schema.UPSERT_LINK_SEGMENT, list(self._link_segments.values())
        yield schema.DELETE_LINK_SEGMENTS, [()] if self._link_segments else []
        for statement, row in self._runs:
            yield statement, [row]
        yield schema.ADD_TOTAL, [(*ended, count) for ended, count in self._totals.items()]
        yield schema.ADD_REFUSED_MORE, self._more
        more = sum(count for _, _, count, _ in self._more)
        figures = (
            (self._requests, "fetches"),
            (self._wire_bytes, "wire_bytes"),
            (more, "refused_more"),
            (self._unread_links, "unread_links"),
        )
        yield schema.ADD_META, figures

    def _add_end(self, event: Finished, sequence: int, position: int) -> None:
        _append(self._pages, schema.UPSERT_PAGE, [_make_page_row(event)])
        if self._extracted and event.status != NOT_MODIFIED:
            self._forget_earlier(event.key, sequence)
        self._totals[event.kind, event.state, event.cause] += 1
        self._unread_links += event.unread_links
        self._retries[event.key] = None
        if event.started_at is not None or event.fetched_at is not None:
            self._fetches.append(
                (
                    event.key,
                    sequence,
                    position,
                    event.started_at,
                    event.fetched_at,
                    event.state,
                    event.cause,
                    event.status,
                    event.address,
                    event.wire_length,
                    event.content_hash,
                    event.warc_file,
                    event.warc_offset,
                    event.warc_length,
                    event.redirect_to,
                )
            )
            self._wire_bytes += event.wire_length
            self._requests += event.cause not in NOTHING_SENT and event.imported is None
        if event.state is State.FAILED:
            self._errors.append((event.key, event.cause, event.host, event.detail, event.fetched_at))

    def _forget_earlier(self, key: bytes, sequence: int) -> None:
        if self._extracted.get(key, (sequence,))[0] != sequence:
            del self._extracted[key]

    def _add_extracted(self, event: Extracted, sequence: int, position: int) -> None:
        self._extracted[event.key] = (sequence, (event.data, event.failures, event.key))

    def _add_found_closer(self, event: FoundCloser, sequence: int, position: int) -> None:
        closer = [(found.depth, found.via, found.source, found.key) for found in decode_discoveries(event.data)]
        _append(self._pages, schema.FOUND_CLOSER, closer)

    def _add_left_out(self, event: LeftOut, sequence: int, position: int) -> None:
        row = (event.key, event.origin, event.depth, event.hops, sequence)
        _append(self._left_out, schema.INSERT_LEFT_OUT, [row])

    def _add_judged_again(self, event: JudgedAgain, sequence: int, position: int) -> None:
        _append(self._left_out, schema.DELETE_LEFT_OUT, [(event.key, event.origin)])

    def _add_refused_more(self, event: RefusedMore, sequence: int, position: int) -> None:
        self._more.append(astuple(event))

    def _add_failure(self, event: Failed, sequence: int, position: int) -> None:
        self._requests += event.cause not in NOTHING_SENT
        if event.cause == SAME_IDENTITY:
            ended = (None, event.at, State.REDIRECTED, event.cause)
            hop = (event.key, sequence, position, *ended, *(None,) * 7, event.detail)
            return self._fetches.append(hop)
        self._fetches.append((event.key, sequence, position, None, event.at, "retried", event.cause, *(None,) * 8))
        self._errors.append((event.key, event.cause, event.host, event.detail, event.at))
        self._retries[event.key] = (*astuple(event), sequence)
        return None

    def _add_host(self, event: HostState, sequence: int, position: int) -> None:
        self._hosts[event.host] = (*astuple(event), registrable_domain(event.host) or event.host, sequence)

    def _add_robots_copy(self, event: RobotsCopy, sequence: int, position: int) -> None:
        self._robots[event.origin] = (*astuple(event)[: len(schema.ROBOTS_FIELDS)], sequence)
        self._requests += event.requests

    def _add_scope(self, event: ScopeExtended, sequence: int, position: int) -> None:
        self._scope.append((sequence, position, event.href))

    def _add_seeds(self, event: SeedsTaken, sequence: int, position: int) -> None:
        if event.scope:
            self._scope.append((sequence, position, event.scope))
        taken = max(event.taken, self._seeds[event.source][1] if event.source in self._seeds else 0)
        self._seeds[event.source] = (event.source, taken, event.is_last)

    def _add_blacklisted(self, event: Blacklisted, sequence: int, position: int) -> None:
        self._blacklist.append(astuple(event))

    def _add_host_order(self, event: HostOrder, sequence: int, position: int) -> None:
        self._host_orders[event.host] = (*astuple(event), sequence)

    def _add_archived(self, event: Archived, sequence: int, position: int) -> None:
        self._archived[event.file] = astuple(event)

    def _add_rewritten(self, event: Rewritten, sequence: int, position: int) -> None:
        self._rewritten.append(event)

    def _add_link_segment(self, event: LinksKept, sequence: int, position: int) -> None:
        self._link_segments[event.file] = astuple(event)

    def _add_restored_links(self, event: LinksRestored, sequence: int, position: int) -> None:
        row = (event.file, event.offset, event.index, event.key)
        _append(self._pages, schema.LINKS_RESTORED, [row])

    def _add_run_start(self, event: RunStarted, sequence: int, position: int) -> None:
        self._runs.append((schema.INSERT_RUN, (sequence, event.at, event.version)))

    def _add_run_end(self, event: RunEnded, sequence: int, position: int) -> None:
        self._runs.append((schema.END_RUN, (event.at, event.reason)))
        self._requests += event.requests


def _list_moves(event: Rewritten) -> Iterator[tuple[str, Sequence[Row]]]:
    """One scan of each table, however many records were moved."""
    yield schema.INSERT_MOVE, list(decode_moves(event))
    for statement in schema.MOVE_RECORDS:
        yield statement, [(event.into, event.at, event.file)]
    yield schema.CLEAR_MOVES, [()]
    yield schema.DELETE_ARCHIVED, [(event.file,)]


def _append(changes: list[tuple[str, list[Row]]], statement: str, rows: list[Row]) -> None:
    """Adds rows at the end, so that the order of the events is kept."""
    if changes and changes[-1][0] is statement:
        changes[-1][1].extend(rows)
    else:
        changes.append((statement, rows))


def _make_page_row(event: Finished) -> Row:
    row = astuple(event)
    row = (*row[: schema.SKETCH], *row[schema.SKETCH + 1 :])
    if event.simhash is None or event.simhash < 1 << 63:
        return row
    return (*row[: schema.SIMHASH], event.simhash - (1 << 64), *row[schema.SIMHASH + 1 :])


def _skip(rows: FrameRows, event: AnyEvent, sequence: int, position: int) -> None:
    """For events of which the catalog shows nothing."""


_HANDLERS: dict[type, Callable[[FrameRows, Any, int, int], None]] = {
    Discovered: _skip,
    Salvaged: _skip,
    Finished: FrameRows._add_end,
    Extracted: FrameRows._add_extracted,
    RefusedMore: FrameRows._add_refused_more,
    Failed: FrameRows._add_failure,
    HostState: FrameRows._add_host,
    RobotsCopy: FrameRows._add_robots_copy,
    ScopeExtended: FrameRows._add_scope,
    SeedsTaken: FrameRows._add_seeds,
    Blacklisted: FrameRows._add_blacklisted,
    HostOrder: FrameRows._add_host_order,
    Archived: FrameRows._add_archived,
    Rewritten: FrameRows._add_rewritten,
    LinksKept: FrameRows._add_link_segment,
    LinksRestored: FrameRows._add_restored_links,
    RunStarted: FrameRows._add_run_start,
    RunEnded: FrameRows._add_run_end,
    FoundCloser: FrameRows._add_found_closer,
    Reprioritised: _skip,
    Reread: _skip,
    LeftOut: FrameRows._add_left_out,
    JudgedAgain: FrameRows._add_judged_again,
    RobotsHop: _skip,
}
"""Unbound methods: bound ones would be a cycle, and all rows would wait for the garbage collector."""
