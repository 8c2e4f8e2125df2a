"""The log after torn tails, damage and crashes."""

import gzip
import random
import struct
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius.errors import BadDirectory, BrokenLog, DiskFull, HondiusError
from hondius.model import Archived, Discovered, HostState
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.simulated import Crash, SimulatedDisk
from hondius.stores.log.embedded import LEAST_COMPRESSED, EmbeddedLog

FIRST = "log/00000000000000000001.log"


def event(number: int) -> tuple[HostState]:
    return (HostState(f"host-{number}.test", float(number), 2.0),)


def written(frames: int, *, segment_bytes: int = 1 << 20) -> tuple[SimulatedDisk, EmbeddedLog]:
    disk = SimulatedDisk()
    log = EmbeddedLog(disk, segment_bytes=segment_bytes)
    for number in range(1, frames + 1):
        log.append(event(number), float(number))
    return disk, log


def sequences(log: EmbeddedLog) -> list[int]:
    return [frame.sequence for frame in log.read()]


def test_a_tail_torn_at_any_byte_is_cut_and_the_log_goes_on() -> None:
    """S4, F5"""
    disk, log = written(3)
    whole = disk.read(FIRST)
    log.append(event(4), 4.0)
    longer = disk.read(FIRST)
    for length in range(len(whole) + 1, len(longer)):
        disk.replace(FIRST, longer[:length])
        again = EmbeddedLog(disk)
        assert again.last_sequence == 3
        assert disk.read(FIRST) == whole
        again.append(event(4), 4.0)
        assert sequences(EmbeddedLog(disk)) == [1, 2, 3, 4]


@pytest.mark.parametrize("junk", [bytes(100), b"\x01" * 100, b"\xff" * 100, bytes(4) + b"\x01" + bytes(40)])
def test_junk_behind_the_last_frame_is_cut(junk: bytes) -> None:
    disk, _ = written(3)
    disk.append(FIRST, junk)
    assert sequences(EmbeddedLog(disk)) == [1, 2, 3]


def test_a_bad_frame_followed_by_good_ones_is_damage_not_a_tail() -> None:
    disk, _ = written(3)
    size = disk.size(FIRST)
    for offset in range(12, size - (size - 12) // 3):
        disk.damage(FIRST, offset)
        with pytest.raises(BrokenLog, match="put log/ back from a copy"):
            EmbeddedLog(disk)
        disk.damage(FIRST, offset)
    assert EmbeddedLog(disk).last_sequence == 3


def test_damage_in_a_sealed_segment_is_told_when_it_is_read() -> None:
    disk, log = written(20, segment_bytes=300)
    sealed = f"log/{disk.list('log')[1]}"
    assert sealed.endswith(".gz")
    disk.damage(sealed, disk.size(sealed) // 2)
    with pytest.raises(BrokenLog, match=sealed):
        list(log.read())


def test_damage_in_a_sealed_segment_that_is_not_yet_compressed_is_told_when_it_is_read() -> None:
    disk, log = written(20, segment_bytes=300)
    name = disk.list("log")[0]
    plain = gzip.decompress(disk.read(f"log/{name}"))
    disk.remove(f"log/{name}")
    disk.replace(FIRST, plain[:-3])
    with pytest.raises(BrokenLog, match=FIRST):
        list(log.read())


def test_logs_that_begin_otherwise_or_at_another_time_are_others() -> None:
    logs = [EmbeddedLog(SimulatedDisk()) for _ in range(3)]
    for log, (number, at) in zip(logs, [(1, 1.0), (2, 1.0), (1, 1.0000005)], strict=True):
        log.append(event(number), at)
    assert len({log.identity for log in logs}) == 3


def test_a_log_whose_first_frame_cannot_be_read_goes_on_and_is_not_known() -> None:
    """It is not needed if the views have applied it."""
    disk, _ = written(40, segment_bytes=500)
    disk.damage(f"{FIRST}.gz", 20)
    log = EmbeddedLog(disk)
    assert (log.identity, log.last_sequence) == (0, 40)
    assert log.append(event(41), 41.0).log == 0


def test_a_missing_segment_is_told() -> None:
    disk, _ = written(20, segment_bytes=300)
    disk.remove(f"log/{disk.list('log')[1]}")
    with pytest.raises(BrokenLog, match="missing"):
        list(EmbeddedLog(disk, segment_bytes=300).read())


def test_a_missing_first_segment_is_told() -> None:
    disk, _ = written(20, segment_bytes=300)
    disk.remove(f"log/{disk.list('log')[0]}")
    with pytest.raises(BrokenLog, match="does not start with frame 1"):
        list(EmbeddedLog(disk, segment_bytes=300).read())


def test_a_gap_in_the_sequence_is_told() -> None:
    disk, _ = written(3)
    other = SimulatedDisk()
    log = EmbeddedLog(other)
    for number in range(1, 6):
        log.append(event(number), float(number))
    frame = (other.size(FIRST) - 12) // 5
    disk.append(FIRST, other.read(FIRST)[-frame:])
    with pytest.raises(BrokenLog, match="frame 5 instead of 4"):
        EmbeddedLog(disk)


def test_a_newer_segment_format_asks_for_an_upgrade() -> None:
    disk, _ = written(1)
    disk.replace(FIRST, b"HONDLOG\n" + struct.pack("<I", 3))
    with pytest.raises(BadDirectory, match=r"newer Hondius \(format 3\); upgrade"):
        EmbeddedLog(disk)


def test_a_file_that_is_no_segment_is_refused() -> None:
    disk = SimulatedDisk()
    disk.replace(FIRST, b"something else entirely")
    with pytest.raises(BrokenLog, match="not a log segment"):
        EmbeddedLog(disk)


def test_sealed_segments_are_compressed_and_read_the_same() -> None:
    disk, log = written(60, segment_bytes=500)
    names = disk.list("log")
    assert sum(name.endswith(".gz") for name in names) >= len(names) - 2
    assert [frame.at for frame in log.read()] == [float(number) for number in range(1, 61)]


def test_an_append_reads_no_more_of_a_sealed_segment_than_twice_its_own_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit waits for compression in proportion to its size, never for a whole segment."""
    disk = SimulatedDisk()
    log = EmbeddedLog(disk, segment_bytes=1_000_000)
    log.append([Discovered(random.Random(1).randbytes(1_000_000), 1)], 1.0)
    read, lengths = disk.read, list[int]()

    def noted(path: str, offset: int, length: int) -> bytes:
        lengths.append(length)
        return read(path, offset, length)

    monkeypatch.setattr(disk, "read", noted)
    while FIRST in [f"log/{name}" for name in disk.list("log")]:
        log.append([Discovered(bytes(5_000), 1)], 2.0)
    assert max(lengths) <= max(LEAST_COMPRESSED, 2 * 5_200)
    assert len(lengths) < 1_000_000 // LEAST_COMPRESSED + 5


def test_a_full_disk_leaves_the_log_exactly_as_it_was() -> None:
    """S5"""
    disk, log = written(3)
    before = disk.read(FIRST)
    disk.room = disk.size(FIRST) + 10
    for _ in range(3):
        with pytest.raises(DiskFull):
            log.append(event(4), 4.0)
        assert disk.read(FIRST) == before
        assert log.last_sequence == 3
    disk.room = 1 << 30
    assert log.append(event(4), 4.0).sequence == 4
    assert sequences(EmbeddedLog(disk)) == [1, 2, 3, 4]


def test_a_sync_without_room_takes_the_frame_back(monkeypatch: pytest.MonkeyPatch) -> None:
    disk, log = written(3)
    before, sync = disk.read(FIRST), disk.sync
    failures = [DiskFull("quota")]
    monkeypatch.setattr(disk, "sync", lambda path: sync(path) if not failures else _raise(failures.pop()))
    with pytest.raises(DiskFull):
        log.append(event(4), 4.0)
    assert disk.read(FIRST) == before
    assert log.append(event(4), 4.0).sequence == 4


def test_after_a_failed_sync_nothing_more_is_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    disk, log = written(3)
    monkeypatch.setattr(disk, "sync", lambda path: _raise(HondiusError("disk: Input/output error")))
    with pytest.raises(HondiusError):
        log.append(event(4), 4.0)
    monkeypatch.undo()
    with pytest.raises(HondiusError, match="takes no more frames"):
        log.append(event(4), 4.0)
    assert EmbeddedLog(disk).append(event(5), 5.0).sequence in (4, 5)


def test_a_reader_beside_the_writer_changes_nothing() -> None:
    disk, log = written(3)
    disk.append(FIRST, b"\x40\x00\x00\x00half a frame")
    before = disk.read(FIRST)
    reader = EmbeddedLog(disk, read_only=True)
    assert sequences(reader) == [1, 2, 3]
    assert disk.read(FIRST) == before
    with pytest.raises(HondiusError, match="opened for reading"):
        reader.append(event(1), 1.0)
    assert log.last_sequence == 3


@given(crash_at=st.integers(1, 120), power=st.booleans(), seed=st.integers(0, 1000))
def test_what_was_acknowledged_survives_a_crash_at_any_operation(crash_at: int, power: bool, seed: int) -> None:
    """F5, S4: nothing acknowledged is lost, nothing appears that was not appended, and the log can be continued."""
    disk, acknowledged = SimulatedDisk(), 0
    disk.crash_at = crash_at
    try:
        log = EmbeddedLog(disk, segment_bytes=300)
        for number in range(1, 31):
            log.append(event(number), float(number))
            acknowledged = number
    except Crash:
        pass
    disk.lose_power(random.Random(seed)) if power else disk.restart()
    again = EmbeddedLog(disk, segment_bytes=300)
    assert again.last_sequence in (acknowledged, acknowledged + 1)
    assert [frame.events for frame in again.read()] == [event(n) for n in range(1, again.last_sequence + 1)]
    disk.lose_power(random.Random(seed))
    survived = again.last_sequence
    assert EmbeddedLog(disk, segment_bytes=300).append(event(0), 0.0).sequence == survived + 1


def _raise(error: Exception) -> None:
    raise error


def test_an_event_that_could_not_be_read_back_is_never_written(tmp_path: Path) -> None:
    log = EmbeddedLog(EmbeddedDisk(tmp_path))
    with pytest.raises(msgspec.ValidationError):
        log.append([Archived("x.warc.gz", "long")], 1.0)  # type: ignore[arg-type]
    assert log.append([Archived("x.warc.gz", 7)], 1.0).sequence == 1
    log.close()
    assert [frame.sequence for frame in EmbeddedLog(EmbeddedDisk(tmp_path)).read()] == [1]
