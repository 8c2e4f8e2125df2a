"""Opens the log of a crawl directory, with any number of partitions."""

from hondius.errors import BadDirectory
from hondius.ports import Disk, Log
from hondius.stores.log.embedded import SEGMENT_BYTES, EmbeddedLog
from hondius.stores.log.partitioned import PartitionedLog
from hondius.stores.log.segments import list_segments
from hondius.stores.log.subdirectory import SubdirectoryDisk

PARTITIONS_FILE = "partitions"
"""The file with the number of partitions. Without it, the log has one."""
MOST_PARTITIONS = 256


def count_partitions(disk: Disk) -> int:
    """The number of partitions of an existing log."""
    if not disk.exists(PARTITIONS_FILE):
        return 1
    text = disk.read(PARTITIONS_FILE, 0, 8)
    if not text.isdigit() or not 1 < int(text) <= MOST_PARTITIONS:
        raise BadDirectory(
            f"{disk.place}/{PARTITIONS_FILE} must hold a number from 2 to {MOST_PARTITIONS}: put it back from a copy"
        )
    return int(text)


def record_partitions(disk: Disk, wanted: int) -> None:
    """Records the number of partitions of a new log, before its first frame. An existing log keeps its own."""
    if wanted > 1 and not disk.exists(PARTITIONS_FILE) and not list_segments(disk):
        disk.replace(PARTITIONS_FILE, str(wanted).encode())


def open_log(disk: Disk, *, segment_bytes: int = SEGMENT_BYTES, read_only: bool = False) -> Log:
    """Partition 0 is in the same place as a log of one partition."""
    partitions = count_partitions(disk)
    disks = [disk, *(SubdirectoryDisk(disk, f"partition-{number:05}") for number in range(1, partitions))]
    logs = [EmbeddedLog(one, segment_bytes=segment_bytes, read_only=read_only) for one in disks]
    return logs[0] if partitions == 1 else PartitionedLog(logs)
