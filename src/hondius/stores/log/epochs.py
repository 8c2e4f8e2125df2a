"""Who may write to a partition, and since when (C2).

A new owner appends an `OwnerMarker`. The offset of the marker is the *epoch*, and every record of the owner names its
epoch. Records of an older epoch after a newer marker are ignored: they come from a former owner that does not know yet
that it lost the partition. Discoveries are never ignored, whoever found them. An idempotent producer is not enough: a
frozen node that wakes up is still the same producer.
"""

import struct

from hondius.model import Discovered, FoundCloser, OwnerMarker
from hondius.ports import Disk
from hondius.stores.log.partitions import Record

_OFFSET = struct.Struct("<qq")
_CHECK = 0x45504F4348
NOBODY = -1
"""The epoch before the first owner."""


class Fence:
    """Tracks the epoch while the records of a partition are applied in the order of their offsets."""

    def __init__(self, epoch: int = NOBODY) -> None:
        self.epoch = epoch

    def admits(self, record: Record) -> bool:
        """Whether the record counts."""
        if isinstance(record.event, OwnerMarker):
            self.epoch = record.offset
            return True
        return isinstance(record.event, Discovered | FoundCloser) or record.epoch >= self.epoch


class EpochFile:
    """The offsets of the markers of one partition, kept beside its view.

    A marker is written here, durably, before the view applies it. So the file may be ahead of the view, and later
    markers are ignored. In the other order, a view might not know the current owner after a crash.
    """

    def __init__(self, disk: Disk, partition: int) -> None:
        self._disk = disk
        self._path = f"epochs/{partition:05}"

    def find_epoch(self, applied: int) -> int:
        """Returns the epoch of a view that has applied the first `applied` records."""
        return max((offset for offset in self._read_offsets() if offset < applied), default=NOBODY)

    def add(self, offset: int) -> None:
        known = self._read_offsets()
        if offset in known:
            return
        whole = len(known) * _OFFSET.size
        if self._disk.exists(self._path) and self._disk.size(self._path) > whole:
            self._disk.truncate(self._path, whole)
        self._disk.append(self._path, _OFFSET.pack(offset, offset ^ _CHECK))
        self._disk.sync(self._path)

    def _read_offsets(self) -> list[int]:
        """The complete offsets in the file, before a torn tail."""
        offsets: list[int] = []
        data = self._disk.read(self._path) if self._disk.exists(self._path) else b""
        for offset, check in _OFFSET.iter_unpack(data[: len(data) // _OFFSET.size * _OFFSET.size]):
            if check != offset ^ _CHECK:
                break
            offsets.append(offset)
        return offsets
