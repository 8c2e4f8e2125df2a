"""Which frames a batch becomes in a log of several partitions, and in which order (C1, F4)."""

from collections.abc import Sequence

import pytest

from hondius import native
from hondius.crawler.commit.order import Draft, ElsewhereFirstOrder, SingleFrameOrder
from hondius.crawler.commit.outcome import Change, Outcome
from hondius.crawler.commit.routing import Router
from hondius.model import (
    AnyEvent,
    Blacklisted,
    Discovered,
    Finished,
    FoundCloser,
    HostState,
    LeftOut,
    LinksKept,
    LinksRestored,
    RefusedMore,
    RobotsCopy,
    RunStarted,
    ScopeExtended,
    SeedsTaken,
    State,
)
from hondius.native import Discoveries, Identity, MemoryTree, decode_discoveries, partition_of
from hondius.stores.urls.partitioned import PartitionedUrlStore

PARTITIONS = 3
HERE, THERE, FAR = (
    next(name for name in (f"s{number}.test" for number in range(99)) if partition_of(name, PARTITIONS) == partition)
    for partition in (1, 2, 0)
)
"""Hosts of partitions 1, 2 and 0."""
Frames = list[tuple[int, list[AnyEvent]]]


@pytest.fixture
def store() -> PartitionedUrlStore:
    return PartitionedUrlStore(
        [native.UrlStore(MemoryTree(), capacity=1_000, share=(part, PARTITIONS)) for part in range(PARTITIONS)]
    )


def admitted(store: PartitionedUrlStore, *hrefs: str, depth: int = 1) -> Discoveries:
    rows = [(url.href, url.key) for url in map(Identity().parse, hrefs)]
    return store.admit(rows, None, depth=depth, priority=0.5, discovered_at=1.0, max_depth=None, via="link")


def finished(href: str, state: State = State.COMPLETED, copy_of: str | None = None) -> Finished:
    url = Identity().parse(href)
    return Finished(url.key, href, href, url.host, state, "", copy_of=copy_of)


def written(store: PartitionedUrlStore, changes: Sequence[Change]) -> Frames:
    """The frames of a batch, as the commit writes them."""
    order = ElsewhereFirstOrder(Router(PARTITIONS, store.find))
    frames: Frames = []
    for draft in order.plan_drafts(changes):
        if (events := order.make_events(draft)) is not None:
            frames.append((draft.partition, events))
        order.mark_written(draft)
    return frames


def names(frames: Frames) -> list[tuple[int, list[str]]]:
    return [(partition, [type(event).__name__ for event in events]) for partition, events in frames]


def found_in(events: Sequence[AnyEvent]) -> list[str]:
    blobs = [event.data for event in events if isinstance(event, Discovered | FoundCloser)]
    return [url.href for blob in blobs for url in decode_discoveries(blob)]


def test_f4_what_a_page_led_to_elsewhere_is_durable_before_the_page_ends(store: PartitionedUrlStore) -> None:
    found = admitted(store, f"http://{HERE}/1", f"http://{THERE}/1", f"http://{FAR}/1")
    page = Outcome([RefusedMore(THERE, "shape", 3, 1.0)], finished=finished(f"http://{HERE}/"), discoveries=[found])
    frames = written(store, [page, HostState(HERE, 1.0, 2.0)])
    assert names(frames) == [
        (0, ["Discovered"]),
        (2, ["Discovered", "RefusedMore"]),
        (1, ["Discovered", "Finished", "HostState"]),
    ]
    assert [found_in(events) for _, events in frames] == [
        [f"http://{FAR}/1"],
        [f"http://{THERE}/1"],
        [f"http://{HERE}/1"],
    ]


def test_f4_what_is_durable_is_no_part_of_its_outcome_any_more(store: PartitionedUrlStore) -> None:
    """If its own frame meets a bug, its URL ends in a later one, which must not have all of that again."""
    found = admitted(store, f"http://{HERE}/1", f"http://{THERE}/1")
    refused = finished(f"http://{THERE}/no", State.REFUSED)
    page = Outcome([refused], finished=finished(f"http://{HERE}/"), discoveries=[found])
    order = ElsewhereFirstOrder(Router(PARTITIONS, store.find))
    ahead, own = order.plan_drafts([page])
    assert (ahead, own) == (Draft(2, [page], is_ahead=True), Draft(1, [page]))
    order.mark_written(ahead)
    assert page.events == []
    assert [found_in([Discovered(some.data, some.count)]) for _, some in page.discoveries[0].parts if some.count] == [
        [f"http://{HERE}/1"]
    ]


def test_x1_a_copy_follows_its_original_in_another_partition(store: PartitionedUrlStore) -> None:
    original, copy = f"http://{THERE}/", f"http://{HERE}/"
    changes = [Outcome(finished=finished(original)), Outcome(finished=finished(copy, State.DUPLICATE, original))]
    assert [partition for partition, _ in written(store, changes)] == [2, 1]


def test_x1_a_copy_stands_beside_its_original_in_the_same_partition(store: PartitionedUrlStore) -> None:
    original, copy = f"http://{HERE}/", f"http://{HERE}/copy"
    changes = [Outcome(finished=finished(original)), Outcome(finished=finished(copy, State.DUPLICATE, original))]
    assert names(written(store, changes)) == [(1, ["Finished", "Finished"])]


@pytest.mark.parametrize("is_ended", [True, False], ids=["ended", "discovered"])
def test_d5_a_shorter_path_follows_the_end_or_the_discovery_of_its_target(
    store: PartitionedUrlStore, is_ended: bool
) -> None:
    """Views would not know what is closer than what."""
    target = f"http://{THERE}/target"
    first = Outcome(finished=finished(f"http://{THERE}/"), discoveries=[admitted(store, target, depth=9)])
    if is_ended:
        for partition, events in written(store, [first]):
            store.apply(1, [event.data for event in events if isinstance(event, Discovered)], [], partition=partition)
        first = Outcome(finished=finished(target))
    closer = Outcome(finished=finished(f"http://{HERE}/"), discoveries=[admitted(store, target, depth=2)])
    frames = written(store, [first, closer])
    assert [partition for partition, _ in frames] == [2, 2, 1]
    assert [found_in(events) for _, events in frames[1:]] == [[target], []]


def test_p7_a_run_begins_before_anything_of_it(store: PartitionedUrlStore) -> None:
    seeds = [f"http://{host}/" for host in (HERE, THERE, FAR)]
    mark = SeedsTaken(1.0, "arguments", 3, True, "\n".join(seeds))
    begun = Outcome([RunStarted(1.0, "0"), mark], discoveries=[admitted(store, *seeds, depth=0)])
    frames = written(store, [HostState(HERE, 1.0, 2.0), begun])
    assert names(frames) == [
        (0, ["SeedsTaken", "RunStarted"]),
        (1, ["Discovered"]),
        (2, ["Discovered"]),
        (0, ["Discovered", "SeedsTaken"]),
        (1, ["HostState"]),
    ]


def test_d1_the_scope_and_that_seeds_are_missing_are_durable_before_the_first_seed(store: PartitionedUrlStore) -> None:
    mark = SeedsTaken(1.0, "arguments", 2, True, "http://x.test/")
    taken = Outcome([mark], discoveries=[admitted(store, f"http://{HERE}/", depth=0)])
    frames = written(store, [taken])
    marks = [event for _, events in frames for event in events if isinstance(event, SeedsTaken)]
    assert [(one.taken, one.is_last, one.scope) for one in marks] == [(0, False, mark.scope), (2, True, "")]
    assert [partition for partition, _ in frames] == [0, 1, 0]


def test_d1_the_scope_grows_before_the_target_of_a_seeds_redirect_is_queued(store: PartitionedUrlStore) -> None:
    target = f"http://{THERE}/"
    redirect = Outcome(
        [ScopeExtended(target)],
        finished=finished(f"http://{FAR}/", State.REDIRECTED),
        discoveries=[admitted(store, target)],
    )
    assert names(written(store, [redirect])) == [(0, ["ScopeExtended"]), (2, ["Discovered"]), (0, ["Finished"])]


def test_d1_a_larger_scope_follows_what_was_left_out_of_the_smaller(store: PartitionedUrlStore) -> None:
    page = finished(f"http://{THERE}/")
    written(store, [Outcome(discoveries=[admitted(store, page.url)])])
    left_out = Outcome([LeftOut(page.key, 2)], finished=page)
    frames = written(store, [left_out, Outcome([SeedsTaken(1.0, "file", 9, True, "http://x.test/")])])
    assert names(frames) == [(2, ["LeftOut", "Finished"]), (0, ["SeedsTaken"])]


def test_s10_a_segment_is_told_of_before_the_links_that_lie_there(store: PartitionedUrlStore) -> None:
    page = f"http://{THERE}/"
    admitted(store, page)
    restored = LinksRestored(Identity().parse(page).key, "a.links", 0, 0)
    frames = written(store, [Outcome([LinksKept("a.links", 9), restored])])
    assert names(frames) == [(0, ["LinksKept"]), (2, ["LinksRestored"])]


def test_c1_events_of_hosts_go_to_their_partitions_and_others_to_the_first(store: PartitionedUrlStore) -> None:
    robots = RobotsCopy(f"http://{HERE}", 1.0, "parsed", 200, 9.0, b"")
    frames = written(store, [Outcome([Blacklisted("x.test", "", 1.0)]), Outcome([robots]), HostState(THERE, 1.0, 2.0)])
    assert names(frames) == [(0, ["Blacklisted"]), (1, ["RobotsCopy"]), (2, ["HostState"])]


def test_s1_one_partition_gets_all_of_a_batch_in_one_frame() -> None:
    changes: list[Change] = [Outcome(finished=finished(f"http://{HERE}/")), HostState(THERE, 1.0, 2.0)]
    order = SingleFrameOrder()
    (draft,) = order.plan_drafts(changes)
    assert draft == Draft(0, changes)
    assert names([(0, order.make_events(draft) or [])]) == [(0, ["Finished", "HostState"])]
