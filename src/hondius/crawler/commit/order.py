"""The order in which a batch of changes becomes durable.

A frame is written whole or not at all, but two frames are not: the process may be killed between them. An order decides
which frames a batch becomes, so that a kill at any point loses nothing. There are two orders. A cluster will have a
third: it waits until what was found elsewhere is acknowledged, then for the archive, then writes the end.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from hondius.crawler.commit.events import list_events, make_discovered, make_found_closer
from hondius.crawler.commit.outcome import Change, Outcome
from hondius.crawler.commit.routing import BESIDE, FIRST, WHOLE_CRAWL, Router
from hondius.model import AnyEvent, HostState, LeftOut, ScopeExtended, SeedsTaken, State
from hondius.native import Discoveries, decode_discoveries
from hondius.ports import Log, UrlStore


class Draft(NamedTuple):
    """A frame to be written. After a bug it may be split: then each half of the changes gets its own frame."""

    partition: int
    changes: Sequence[Change]
    is_ahead: bool = False
    """It has what the changes bring to this partition, not the changes themselves: their own frames follow. So nothing
    need be archived for it."""


class CommitOrder(Protocol):
    def plan_drafts(self, changes: Sequence[Change]) -> Iterable[Draft]:
        """Each draft is durable before the next one is requested."""

    def make_events(self, draft: Draft) -> list[AnyEvent] | None:
        """The events of its frame, without the lengths of archive files and link segments. None if it needs no
        frame."""

    def mark_written(self, draft: Draft) -> None:
        """Its frame is durable."""


def choose_order(log: Log, urls: UrlStore) -> CommitOrder:
    return SingleFrameOrder() if log.partitions == 1 else ElsewhereFirstOrder(Router(log.partitions, urls.find))


class SingleFrameOrder:
    """For a log of one partition: all changes in one frame."""

    def plan_drafts(self, changes: Sequence[Change]) -> Iterable[Draft]:
        return (Draft(WHOLE_CRAWL, changes),)

    def make_events(self, draft: Draft) -> list[AnyEvent] | None:
        return list_events(draft.changes)

    def mark_written(self, draft: Draft) -> None:
        """Does nothing."""


class ElsewhereFirstOrder:
    """For a log of several partitions: what an outcome brings to other partitions is durable before the frame that has
    the outcome itself. If the process is killed in between, the URL has not ended and its links are known: it is
    fetched again.

    A batch is written in *waves*. Each wave first writes the frames of what was found elsewhere, then those of the
    changes themselves, each in the order of the partitions. An outcome that depends on an earlier one in another
    partition belongs to a later wave: a copy depends on its original, a shorter path to a URL on the end or the
    discovery of that URL, a larger scope on what was left out of the smaller one."""

    def __init__(self, router: Router) -> None:
        self._router = router

    def plan_drafts(self, changes: Sequence[Change]) -> Iterator[Draft]:
        for wave in self._split_into_waves(changes):
            elsewhere: dict[int, list[Change]] = defaultdict(list)
            own: dict[int, list[Change]] = defaultdict(list)
            for change in wave:
                partition = self._find_own_partition(change)
                own[partition].append(change)
                for other in self._list_other_partitions(change, partition):
                    elsewhere[other].append(change)
            yield from (Draft(partition, elsewhere[partition], is_ahead=True) for partition in sorted(elsewhere))
            yield from (Draft(partition, own[partition]) for partition in sorted(own))

    def make_events(self, draft: Draft) -> list[AnyEvent] | None:
        if not draft.is_ahead:
            return list_events([self._select_own_part(change, draft.partition) for change in draft.changes]) or None
        found = [some for change in draft.changes for some in self._list_found_in(change, draft.partition)]
        brought = [event for change in draft.changes for event in self._list_events_for(change, draft.partition)]
        return [*make_discovered(found), *brought, *make_found_closer(found)] or None

    def mark_written(self, draft: Draft) -> None:
        """Removes what is durable from its outcome: it is written once, and never withdrawn."""
        for change in draft.changes if draft.is_ahead else ():
            if isinstance(change, Outcome):
                brought = {id(event) for event in self._list_events_for(change, draft.partition)}
                left = [event for event in change.events if id(event) not in brought]
                change.events = [_drop_scope(event) for event in left] if draft.partition == WHOLE_CRAWL else left
                if self._find_own_partition(change) != draft.partition:
                    change.discoveries = [_drop_partition(found, draft.partition) for found in change.discoveries]

    def _list_found_in(self, change: Change, partition: int) -> list[Discoveries]:
        """What it found in a partition that is not its own."""
        return [] if self._find_own_partition(change) == partition else _select_parts(change, partition)

    def _select_own_part(self, change: Change, own: int) -> Change:
        """The part of a change that belongs into its own frame."""
        if isinstance(change, HostState):
            return change
        events = [event for event in change.events if self._is_own(event, own)]
        return Outcome(events, change.finished, _select_parts(change, own), change.record, change.links)

    def _is_own(self, event: AnyEvent, own: int) -> bool:
        return not isinstance(event, FIRST) and self._router.route_event(event) == own

    def _find_own_partition(self, change: Change) -> int:
        """The partition of the subject of an outcome. An outcome without a subject, which only brings links, belongs to
        partition 0. That comes first, so whatever depends on it follows."""
        if isinstance(change, HostState):
            return self._router.route_event(change)
        subject = change.finished or next((event for event in change.events if not isinstance(event, BESIDE)), None)
        return WHOLE_CRAWL if subject is None else self._router.route_event(subject)

    def _list_other_partitions(self, change: Change, own: int) -> set[int]:
        """The partitions that get something before its own frame."""
        if isinstance(change, HostState):
            return set()
        events = {self._router.route_event(event) for event in change.events if not self._is_own(event, own)}
        elsewhere = events | (_list_partitions(change) - {own})
        return elsewhere | {WHOLE_CRAWL} if elsewhere and _list_marks(change) else elsewhere

    def _list_events_for(self, change: Change, partition: int) -> list[AnyEvent]:
        """The events of a change that go to a partition before its own frame."""
        if isinstance(change, HostState):
            return []
        own = self._find_own_partition(change)
        others = (event for event in change.events if not self._is_own(event, own))
        begun: list[AnyEvent] = (
            [_make_begin_mark(mark) for mark in _list_marks(change)] if partition == WHOLE_CRAWL else []
        )
        return begun + [event for event in others if self._router.route_event(event) == partition]

    def _split_into_waves(self, changes: Sequence[Change]) -> Iterator[list[Change]]:
        wave = Wave()
        for change in changes:
            own = self._find_own_partition(change)
            if wave.is_basis_of(change, own):
                yield wave.changes
                wave = Wave()
            wave.add(change, own)
        if wave.changes:
            yield wave.changes


class Wave:
    """Changes that may be written together."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self._ended: dict[str | bytes, int] = {}
        """Partitions of pages that ended, by URL and by key."""
        self._found: list[tuple[int, bytes]] = []
        """What was found within its own partition."""
        self._has_left_out = False

    def add(self, change: Change, own: int) -> None:
        self.changes.append(change)
        if isinstance(change, HostState):
            return
        if (end := change.finished) is not None:
            self._ended[end.url] = self._ended[end.key] = own
        self._found += [(own, some.data) for some in _select_parts(change, own) if some.count]
        self._has_left_out |= any(isinstance(event, LeftOut) for event in change.events)

    def is_basis_of(self, change: Change, own: int) -> bool:
        """Whether the change depends on one of these, and would be written before it."""
        if isinstance(change, HostState):
            return False
        end = change.finished
        if end is not None and end.state is State.DUPLICATE and self._ended.get(end.copy_of or "", own) != own:
            return True
        if end is not None and end.near_of is not None and self._ended.get(end.near_of, own) != own:
            return True
        if self._has_left_out and any(isinstance(event, ScopeExtended | SeedsTaken) for event in change.events):
            return True
        return any(
            self._has(part, url.key)
            for found in change.discoveries
            for part, some in found.parts
            if some.closer_count and part != own
            for url in decode_discoveries(some.closer)
        )

    def _has(self, partition: int, key: bytes) -> bool:
        """Keys are stored verbatim in the data."""
        return key in self._ended or any(part == partition and key in data for part, data in self._found)


def _list_marks(change: Outcome) -> list[SeedsTaken]:
    return [event for event in change.events if isinstance(event, SeedsTaken)]


def _make_begin_mark(mark: SeedsTaken) -> SeedsTaken:
    """Seeds of a slice may be durable before the mark after them. Before that, the log says what joins the scope with
    them, and that some are missing: if the process is killed in between, they are read again."""
    return replace(mark, taken=0, is_last=False)


def _drop_scope(event: AnyEvent) -> AnyEvent:
    return replace(event, scope="") if isinstance(event, SeedsTaken) else event


def _list_partitions(change: Outcome) -> set[int]:
    """The partitions in which it found something."""
    parts = (part for found in change.discoveries for part in found.parts)
    return {partition for partition, some in parts if some.count or some.closer_count}


def _select_parts(change: Change, partition: int) -> list[Discoveries]:
    if isinstance(change, HostState):
        return []
    return [some for found in change.discoveries for part, some in found.parts if part == partition]


def _drop_partition(found: Discoveries, partition: int) -> Discoveries:
    return Discoveries.merged([(part, some) for part, some in found.parts if part != partition])
