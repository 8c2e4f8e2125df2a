"""The contract of `Log`, for every adapter."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from hondius.errors import HondiusError
from hondius.model import Archived, Discovered, Finished, Frame, HostState, RobotsCopy, RunStarted, State
from hondius.ports import Disk, Log
from hondius.position import Position
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.simulated import SimulatedDisk
from hondius.stores.log.embedded import SEGMENT_BYTES, EmbeddedLog
from hondius.stores.log.memory import MemoryLog
from hondius.stores.log.opening import open_log as open_log_on
from hondius.stores.log.opening import record_partitions
from hondius.stores.log.partitioned import PartitionedLog


def _on(disk: Disk, segment_bytes: int = SEGMENT_BYTES) -> Callable[[], Log]:
    return lambda: EmbeddedLog(disk, segment_bytes=segment_bytes)


def _in_memory(kept: list[Frame]) -> Callable[[], Log]:
    return lambda: MemoryLog(kept)


def _in_partitions(disk: Disk, segment_bytes: int = SEGMENT_BYTES) -> Callable[[], Log]:
    record_partitions(disk, 3)
    return lambda: open_log_on(disk, segment_bytes=segment_bytes)


def _in_memory_partitions(kept: list[list[Frame]]) -> Callable[[], Log]:
    return lambda: PartitionedLog([MemoryLog(frames) for frames in kept])


ADAPTERS: dict[str, Callable[[Path], Callable[[], Log]]] = {
    "embedded": lambda root: _on(EmbeddedDisk(root)),
    "embedded, small segments": lambda root: _on(EmbeddedDisk(root), 200),
    "embedded, simulated disk": lambda root: _on(SimulatedDisk()),
    "in memory": lambda root: _in_memory([]),
    "in partitions": lambda root: _in_partitions(EmbeddedDisk(root)),
    "in partitions, small segments": lambda root: _in_partitions(SimulatedDisk(), 200),
    "in partitions, in memory": lambda root: _in_memory_partitions([[], [], []]),
}


@pytest.fixture(params=ADAPTERS)
def open_log(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Log]:
    """Each call opens the same log."""
    return ADAPTERS[request.param](tmp_path)


EVENTS = (
    RunStarted(1.0, "0.1.0"),
    Discovered(b"\x00\xffraw", 2),
    Finished(b"k" * 16, "http://a.test/", "http://a.test/", "a.test", State.COMPLETED, "", simhash=2**64 - 1),
    HostState("a.test", 1.0, 2.0),
    RobotsCopy("http://a.test", 1.0, "parsed", 200, 9.0, b"User-agent: *\n"),
    Archived("x.warc.gz", 7),
)


def test_a_new_log_is_empty(open_log: Callable[[], Log]) -> None:
    log = open_log()
    assert not log.end.frames
    assert list(log.read()) == []


def test_what_was_appended_is_read_by_whoever_opens_it_next(open_log: Callable[[], Log]) -> None:
    log = open_log()
    first = log.append(EVENTS, 10.0)
    second = log.append((), 11.0)
    log.close()
    again = open_log()
    assert [frame.sequence for frame in (first, second)] == [1, 2]
    assert again.end == Position((2,)) == second.position
    assert list(again.read()) == [first, second]
    assert first.events == EVENTS


def test_a_log_is_known_by_its_first_frame_and_so_is_each_frame(open_log: Callable[[], Log]) -> None:
    log = open_log()
    assert log.identity == 0
    first = log.append(EVENTS, 10.0)
    for number in range(20):
        log.append(EVENTS, 11.0 + number)
    log.close()
    again = open_log()
    assert 0 < log.identity < 2**63
    assert {first.log, again.identity, *(frame.log for frame in again.read())} == {log.identity}


def test_reading_may_start_behind_any_frame(open_log: Callable[[], Log]) -> None:
    log = open_log()
    for number in range(30):
        log.append((HostState(f"{number}.test", 1.0, 2.0),), float(number))
    for after in (0, 1, 7, 29, 30, 31):
        assert [frame.sequence for frame in log.read(Position((after,)))] == list(range(after + 1, 31))


def test_frames_appended_while_reading_are_read_too(open_log: Callable[[], Log]) -> None:
    log = open_log()
    log.append(EVENTS, 1.0)
    reading = log.read()
    next(reading)
    for _ in range(20):
        log.append(EVENTS, 2.0)
    assert [frame.sequence for frame in reading] == list(range(2, 22))


def test_the_newest_frames_and_one_frame_by_its_number_can_be_read(open_log: Callable[[], Log]) -> None:
    log = open_log()
    assert list(log.newest(5)) == []
    frames = [log.append((HostState(f"{number}.test", 1.0, 2.0),), float(number)) for number in range(1, 31)]
    for most in (1, 7, 30, 31):
        assert list(log.newest(most)) == frames[-most:]
    assert [log.frame(number) for number in (1, 17, 30)] == [frames[0], frames[16], frames[29]]
    assert (log.frame(0), log.frame(31)) == (None, None)


def test_c1_frames_of_all_partitions_are_read_in_the_order_in_which_they_were_written(
    open_log: Callable[[], Log],
) -> None:
    log = open_log()
    chance = Random(7)
    written = [
        log.append((HostState(f"{number}.test", 1.0, 2.0),), float(number), chance.randrange(log.partitions))
        for number in range(60)
    ]
    log.close()
    again = open_log()
    assert again.partitions == log.partitions
    assert list(again.read()) == written
    assert [frame.number for frame in written] == list(range(1, 61))
    assert again.end.frames == 60
    assert {frame.log for frame in written} == {again.identity}
    for most in (1, 9, 60, 99):
        assert list(again.newest(most)) == written[-most:]
    assert [again.frame(number) for number in range(62)] == [None, *written, None]


def test_c1_reading_may_start_behind_another_frame_of_each_partition(open_log: Callable[[], Log]) -> None:
    log = open_log()
    chance = Random(8)
    written = [log.append((), float(number), chance.randrange(log.partitions)) for number in range(60)]
    for _ in range(20):
        after = Position(tuple(chance.randrange(25) for _ in range(log.partitions)))
        expected = [frame for frame in written if frame.sequence > after.of_partition(frame.partition)]
        assert list(log.read(after)) == expected
        assert all(after.covers(frame.position) for frame in written if frame not in expected)


def test_c1_a_reader_goes_on_with_whatever_partition_goes_on(open_log: Callable[[], Log]) -> None:
    log = open_log()
    first = log.append(EVENTS, 1.0)
    reading = log.read()
    assert next(reading) == first
    chance = Random(9)
    for number in range(20):
        written = log.append((), float(number), chance.randrange(log.partitions))
        assert next(reading) == written
    assert list(reading) == []


def test_c1_a_log_has_no_other_partitions(open_log: Callable[[], Log]) -> None:
    log = open_log()
    with pytest.raises((ValueError, IndexError)):
        log.append(EVENTS, 1.0, log.partitions)
    assert log.end.frames == 0


def test_a_closed_log_takes_no_more_frames(open_log: Callable[[], Log]) -> None:
    log = open_log()
    log.append(EVENTS, 1.0)
    log.close()
    with pytest.raises(HondiusError, match="takes no more frames"):
        log.append(EVENTS, 2.0)
    assert open_log().end.frames == 1


def _pair_on(disk: Disk, segment_bytes: int = SEGMENT_BYTES, partitions: int = 1) -> tuple[Log, Callable[[], Log]]:
    record_partitions(disk, partitions)
    writer = open_log_on(disk, segment_bytes=segment_bytes)
    return writer, lambda: open_log_on(disk, read_only=True)


def _pair_in_memory(kept: list[list[Frame]]) -> tuple[Log, Callable[[], Log]]:
    if len(kept) == 1:
        return MemoryLog(kept[0]), lambda: MemoryLog(kept[0], read_only=True)
    return (
        PartitionedLog([MemoryLog(frames) for frames in kept]),
        lambda: PartitionedLog([MemoryLog(frames, read_only=True) for frames in kept]),
    )


READERS: dict[str, Callable[[Path], tuple[Log, Callable[[], Log]]]] = {
    "embedded": lambda root: _pair_on(EmbeddedDisk(root)),
    "embedded, small segments": lambda root: _pair_on(EmbeddedDisk(root), 300),
    "in memory": lambda root: _pair_in_memory([[]]),
    "in partitions": lambda root: _pair_on(EmbeddedDisk(root), partitions=3),
    "in partitions, small segments": lambda root: _pair_on(SimulatedDisk(), 300, partitions=3),
    "in partitions, in memory": lambda root: _pair_in_memory([[], [], []]),
}


@pytest.mark.parametrize("name", READERS)
def test_o2_a_reader_that_refreshes_sees_every_frame_that_a_writer_appends(tmp_path: Path, name: str) -> None:
    """Segments are begun and compressed meanwhile."""
    writer, open_reader = READERS[name](tmp_path)
    chance, reader, seen = Random(1), open_reader(), []
    position = reader.end
    appended = []
    for number in range(120):
        events = EVENTS[: chance.randrange(1, len(EVENTS) + 1)]
        appended.append(writer.append(events, float(number), chance.randrange(writer.partitions)))
        if chance.random() < 0.5:
            continue
        reader.refresh()
        assert reader.end == writer.end
        assert reader.identity == writer.identity
        for frame in reader.read(position):
            seen.append(frame)
            position = position.join(frame.position)
            if chance.random() < 0.1:  # goes on from here the next time
                break
    reader.refresh()
    seen += reader.read(position)
    assert seen == appended
    assert list(reader.read()) == appended


def test_o2_a_frame_that_is_being_written_is_seen_when_it_is_complete(tmp_path: Path) -> None:
    disk = EmbeddedDisk(tmp_path)
    writer = EmbeddedLog(disk)
    first = writer.append(EVENTS, 1.0)
    reader = EmbeddedLog(disk, read_only=True)
    second = writer.append(EVENTS, 2.0)
    (path,) = (tmp_path / "log").iterdir()
    data = path.read_bytes()
    for cut in range(len(data) - 100, len(data), 9):
        path.write_bytes(data[:cut])
        reader.refresh()
        assert list(reader.read()) == [first]
    path.write_bytes(data)
    reader.refresh()
    assert list(reader.read()) == [first, second]
