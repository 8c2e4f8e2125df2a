"""The log in partitions: who is believed, and what is sent in which order (C1, C2)."""

import asyncio
from collections.abc import Sequence

import pytest

from hondius.model import AnyEvent, Discovered, Finished, HostState, OwnerMarker, PartitionEvent, State
from hondius.stores.disk.simulated import Crash, SimulatedDisk
from hondius.stores.log.epochs import NOBODY, EpochFile, Fence
from hondius.stores.log.outbox import NotDelivered, Sent, send_page
from hondius.stores.log.partitions import Record, collect_batch, partition_of

FOUND = Discovered(b"links", 3)


def finished(name: str) -> Finished:
    return Finished(name.encode().ljust(16), f"http://a.test/{name}", "", "a.test", State.COMPLETED, "")


def records(*events: tuple[int, PartitionEvent]) -> list[Record]:
    return [Record(0, offset, epoch, event) for offset, (epoch, event) in enumerate(events)]


def marker(node: str) -> tuple[int, OwnerMarker]:
    return NOBODY, OwnerMarker(node, 0.0)


def test_c2_what_a_former_owner_writes_behind_a_newer_marker_is_ignored() -> None:
    batch = collect_batch(
        records(marker("a"), (0, finished("before")), marker("b"), (0, finished("late")), (2, finished("new"))), Fence()
    )
    assert [event.url[-6:] for event in batch.finished] == ["before", "st/new"]
    assert [record.offset for record in batch.ignored] == [3]


def test_c2_a_former_owners_host_state_does_not_turn_the_clock_back() -> None:
    old, new = HostState("a.test", 1.0, 1.0), HostState("a.test", 9.0, 9.0)
    batch = collect_batch(records(marker("a"), marker("b"), (1, new), (0, old)), Fence())
    assert batch.hosts == {"a.test": new}


def test_c2_what_was_discovered_counts_whoever_found_it() -> None:
    batch = collect_batch(records(marker("a"), marker("b"), (0, FOUND), (NOBODY, FOUND)), Fence())
    assert batch.discoveries == [b"links", b"links"]


def test_c2_a_fold_that_goes_on_later_believes_the_same_as_one_that_did_not_stop() -> None:
    everything = records(marker("a"), (0, FOUND), marker("b"), (0, finished("late")), (2, finished("new")))
    whole = collect_batch(everything, Fence())
    epochs = EpochFile(SimulatedDisk(), 0)
    for offset, _ in whole.markers:
        epochs.add(offset)
    for applied in range(1, len(everything)):
        rest = collect_batch(everything[applied:], Fence(epochs.find_epoch(applied)))
        ignored = [record.offset for record in whole.ignored if record.offset >= applied]
        assert [record.offset for record in rest.ignored] == ignored


def test_c1_records_with_a_gap_are_not_folded() -> None:
    first, _, third = records(marker("a"), (0, FOUND), (0, FOUND))
    with pytest.raises(ValueError, match="does not follow"):
        collect_batch([first, third], Fence())


def test_c2_epochs_survive_a_crash_at_any_operation() -> None:
    for crash_at in range(1, 7):
        disk = SimulatedDisk()
        disk.crash_at = crash_at
        written = []
        try:
            for offset in (3, 17, 40):
                EpochFile(disk, 0).add(offset)
                written.append(offset)
        except Crash:
            disk.restart()
        epochs = EpochFile(disk, 0)
        assert epochs.find_epoch(1 << 40) >= max(written, default=NOBODY)
        epochs.add(99)
        assert epochs.find_epoch(100) == 99
        assert epochs.find_epoch(99) == max(
            (offset for offset in (3, 17, 40) if epochs.find_epoch(offset + 1) == offset), default=NOBODY
        )


def test_c1_hosts_of_one_registrable_domain_share_a_partition() -> None:
    assert partition_of("www.example.co.uk") == partition_of("example.co.uk")
    assert 0 <= partition_of("192.0.2.7") < 256
    assert len({partition_of(f"host{number}.test") for number in range(1_000)}) > 200


class Recording:
    """A producer that notes what was acknowledged, and fails where it is told to."""

    def __init__(self, fails: Sequence[type[AnyEvent]] = ()) -> None:
        self._fails = tuple(fails)
        self.acknowledged: list[tuple[int, AnyEvent]] = []

    async def send(self, partition: int, event: AnyEvent, epoch: int) -> int:
        await asyncio.sleep(0)
        if isinstance(event, self._fails):
            raise NotDelivered
        self.acknowledged.append((partition, event))
        return len(self.acknowledged)


async def test_c2_a_page_ends_only_when_all_it_led_to_is_acknowledged() -> None:
    producer = Recording()
    assert await send_page(producer, 5, 0, {1: FOUND, 2: FOUND}, [finished("page")]) is Sent.ENDED
    assert [partition for partition, _ in producer.acknowledged] == [1, 2, 5]


async def test_c2_a_page_whose_links_were_not_acknowledged_has_not_ended() -> None:
    producer = Recording(fails=[Discovered])
    assert await send_page(producer, 5, 0, {1: FOUND}, [finished("page")]) is Sent.NOT_ENDED
    assert producer.acknowledged == []


async def test_c2_an_end_that_was_not_acknowledged_is_in_doubt() -> None:
    assert await send_page(Recording(fails=[Finished]), 5, 0, {1: FOUND}, [finished("page")]) is Sent.UNKNOWN
