"""The log of a cluster: many partitions with one owner each, and a view that is computed from its records (C1).

A URL belongs to the partition of its registrable domain, so the queue, clock and seen set of a host have one owner. Any
node may append discoveries; everything else comes from the owner.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from hondius import native
from hondius.model import Discovered, Finished, FoundCloser, HostState, OwnerMarker, PartitionEvent

PARTITIONS = 256
"""The number of partitions of a cluster's log."""


class Record(msgspec.Struct, frozen=True):
    """One event at its offset in the broker. `epoch` is that of its writer."""

    partition: int
    offset: int
    epoch: int
    event: PartitionEvent


class Admission(Protocol):
    def admits(self, record: Record) -> bool: ...


class Batch(msgspec.Struct, frozen=True):
    """The combined effect of some records, in order."""

    next_offset: int
    """The offset after this batch: how many records a view has applied with it."""
    discoveries: list[bytes]
    finished: list[Finished]
    hosts: dict[str, HostState]
    markers: list[tuple[int, OwnerMarker]]
    ignored: list[Record]

    def ended(self) -> list[tuple[bytes, bytes | None]]:
        """The argument `finished` of `UrlStore.apply`."""
        return [(event.key, event.original_hash()) for event in self.finished]


def partition_of(host: str, partitions: int = PARTITIONS) -> int:
    """The partition of its registrable domain. Addresses and names without a suffix are their own domain."""
    return native.partition_of(host, partitions)


def refuse_partition(partition: int) -> None:
    """Raises ValueError in a log of one partition."""
    if partition:
        raise ValueError(f"a log of one partition has no partition {partition}")


def collect_batch(records: Sequence[Record], fence: Admission) -> Batch:
    """Collects records of one partition, which must have no gap, for a view."""
    batch = Batch(records[-1].offset + 1, [], [], {}, [], [])
    for record in _check_order(records):
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


def _check_order(records: Sequence[Record]) -> Iterable[Record]:
    for index, record in enumerate(records):
        if record.offset != records[0].offset + index:
            raise ValueError(f"record {record.offset} of partition {record.partition} does not follow the one before")
        yield record
