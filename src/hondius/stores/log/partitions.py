"""The log in many partitions: one owner each, and a view that is a fold of its records (C1).

A URL belongs to the partition of its registrable domain, so a host's queue, clock and seen set have one owner. Anyone
may append what it discovered; everything else comes from the owner.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from hondius import native
from hondius.model import Discovered, Finished, FoundCloser, HostState, OwnerMarker, PartitionEvent

PARTITIONS = 256
"""Of a cluster's log."""


class Record(msgspec.Struct, frozen=True):
    """One event where the broker put it. `epoch` is the writer's, which only its owner has a right to."""

    partition: int
    offset: int
    epoch: int
    event: PartitionEvent


class Admission(Protocol):
    def admits(self, record: Record) -> bool: ...


class Batch(msgspec.Struct, frozen=True):
    """What some records come to, in their order."""

    next_offset: int
    """What a view that has applied this batch stands at: the number of records it holds."""
    discoveries: list[bytes]
    finished: list[Finished]
    hosts: dict[str, HostState]
    markers: list[tuple[int, OwnerMarker]]
    ignored: list[Record]

    def ended(self) -> list[tuple[bytes, bytes | None]]:
        """As the URL store takes it."""
        return [(event.key, event.original_hash()) for event in self.finished]


def partition_of(host: str, partitions: int = PARTITIONS) -> int:
    """That of its registrable domain. Addresses and names without a suffix are their own domain."""
    return native.partition_of(host, partitions)


def refuse_partition(partition: int) -> None:
    """For a log that has one partition."""
    if partition:
        raise ValueError(f"a log of one partition has no partition {partition}")


def fold(records: Sequence[Record], fence: Admission) -> Batch:
    """Records of one partition, without a gap, as a view takes them in."""
    batch = Batch(records[-1].offset + 1, [], [], {}, [], [])
    for record in _in_order(records):
        event = record.event
        if not fence.admits(record):
            batch.ignored.append(record)
        elif isinstance(event, Discovered | FoundCloser):
            batch.discoveries.append(event.data)
        elif isinstance(event, Finished):
            batch.finished.append(event)
        elif isinstance(event, HostState):
            batch.hosts[event.host] = event
        elif isinstance(event, OwnerMarker):
            batch.markers.append((record.offset, event))
    return batch


def _in_order(records: Sequence[Record]) -> Iterable[Record]:
    for index, record in enumerate(records):
        if record.offset != records[0].offset + index:
            raise ValueError(f"record {record.offset} of partition {record.partition} does not follow the one before")
        yield record
