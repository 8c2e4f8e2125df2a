"""S10: a damaged log is put together again from the frames that can be read."""

import math
import os
import random
import struct
import tracemalloc
from pathlib import Path
from zlib import crc32

import msgspec
import pytest

from hondius.errors import BadDirectory, BrokenLog
from hondius.model import (
    AnyEvent,
    Archived,
    Blacklisted,
    Discovered,
    Finished,
    FoundCloser,
    HostState,
    LeftOut,
    LinksKept,
    Reread,
    State,
)
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.simulated import SimulatedDisk
from hondius.stores.log import frames, segments
from hondius.stores.log.embedded import EmbeddedLog
from hondius.stores.log.salvage import Gap, salvage
from hondius.stores.log.segments import list_segments, read_segment

FRAMES = 40


def written(segment_bytes: int) -> SimulatedDisk:
    disk = SimulatedDisk()
    log = EmbeddedLog(disk, segment_bytes=segment_bytes)
    for number in range(1, FRAMES + 1):
        log.append((HostState(f"host-{number}.test", float(number), 2.0),), float(number))
    return disk


def spoken(disk: SimulatedDisk) -> dict[int, bool]:
    """Of each frame whether it still says something."""
    return {frame.sequence: bool(frame.events) for frame in EmbeddedLog(disk).read()}


def list_lost(gaps: list[Gap]) -> set[int]:
    return {number for first, last, *_ in gaps for number in range(first, last + 1)}


def test_a_whole_log_is_left_alone() -> None:
    disk = written(300)
    before = {name: disk.read(f"log/{name}") for name in disk.list("log")}
    assert salvage(disk) == []
    assert {name: disk.read(f"log/{name}") for name in disk.list("log")} == before


@pytest.mark.parametrize("segment_bytes", [300, 1 << 20])
def test_one_flipped_byte_anywhere_costs_what_it_hit_and_nothing_else(segment_bytes: int) -> None:
    chance = random.Random(1)
    for _ in range(60):
        disk = written(segment_bytes)
        path = f"log/{chance.choice(disk.list('log'))}"
        disk.damage(path, chance.randrange(disk.size(path)))
        gaps = salvage(disk)
        said = spoken(disk)
        torn = FRAMES - len(said)
        assert torn <= 1, "only the last frame may be taken for a torn tail"
        assert {number for number, speaks in said.items() if not speaks} == list_lost(gaps)
        assert len(list_lost(gaps)) <= (1 if not path.endswith(".gz") else 8)
        EmbeddedLog(disk).append((HostState("next.test", 1.0, 2.0),), 1.0)


def test_a_missing_segment_becomes_silence() -> None:
    disk = written(300)
    for name in (disk.list("log")[0], disk.list("log")[3]):
        disk.remove(f"log/{name}")
        gaps = salvage(disk)
        assert list_lost(gaps)
        assert list(spoken(disk)) == list(range(1, FRAMES + 1))
        assert salvage(disk) == []


def test_what_could_not_be_read_is_kept_and_times_around_it_are_told() -> None:
    disk = written(1 << 20)
    path = f"log/{disk.list('log')[0]}"
    disk.damage(path, disk.size(path) // 2)
    damaged = disk.read(path)
    [gap] = salvage(disk)
    assert disk.read(f"{path}.damaged") == damaged
    assert (gap.after, gap.before) == (gap.first - 1.0, gap.last + 1.0)


def craft_frame(payload: bytes, sequence: int) -> bytes:
    """A frame whose checksum is right, with events that somebody made up."""
    content = struct.pack("<BQdQQ", 2, sequence, 1.0, 0, 0) + payload
    return struct.pack("<II", len(content), crc32(content)) + content


@pytest.mark.parametrize("payload", [b"\x91\x91\xa7unknown", b"\xc1", b"", b"\x91" * 5_000, b"\x91\x92\xa4host\x07"])
@pytest.mark.parametrize("is_last", [True, False])
def test_a_frame_with_made_up_events_says_what_to_do_and_costs_itself_alone(payload: bytes, is_last: bool) -> None:
    disk = written(1 << 20)
    path = f"log/{disk.list('log')[0]}"
    disk.append(path, craft_frame(payload, FRAMES + 1))
    if not is_last:
        EmbeddedLog(disk).append((HostState("next.test", 1.0, 2.0),), 1.0)
    with pytest.raises(BadDirectory, match=r"frame 41 .*upgrade, or, if no newer Hondius wrote it, .*--salvage"):
        list(EmbeddedLog(disk).read())
    assert list_lost(salvage(disk)) == {FRAMES + 1}
    said = spoken(disk)
    assert [number for number, speaks in said.items() if not speaks] == [FRAMES + 1]
    assert len(said) == FRAMES + (1 if is_last else 2)
    assert salvage(disk) == []


@pytest.mark.parametrize(
    "event",
    [
        Archived("a.warc.gz", -1),
        Archived("../a.warc.gz", 5),
        LinksKept("../x", 5),
        HostState("a.test", 1.0, math.nan),
        Blacklisted("a.test", "", 1e300),
        Blacklisted("", "", 1.0),
        LeftOut(b"k" * 16, -1),
        Reread(b"k" * 16, 2**40),
    ],
)
def test_a_frame_that_says_what_cannot_be_is_given_up(event: AnyEvent) -> None:
    disk = written(1 << 20)
    path = f"log/{disk.list('log')[0]}"
    disk.append(path, craft_frame(msgspec.msgpack.encode([event]), FRAMES + 1))
    assert list_lost(salvage(disk)) == {FRAMES + 1}
    assert salvage(disk) == []


@pytest.mark.parametrize("kind", [Discovered, FoundCloser])
def test_s10_a_frame_whose_urls_cannot_be_decoded_is_given_up(kind: type[Discovered] | type[FoundCloser]) -> None:
    disk = written(1 << 20)
    EmbeddedLog(disk).append((kind(b"\x01cut off", 1),), 1.0)
    assert list_lost(salvage(disk)) == {FRAMES + 1}
    assert salvage(disk) == []


def test_s10_urls_in_the_encoding_of_a_newer_hondius_are_kept() -> None:
    disk = written(1 << 20)
    EmbeddedLog(disk).append((Discovered(b"\xffnewer", 1),), 1.0)
    assert salvage(disk) == []


def test_q2_a_sparse_segment_of_terabytes_is_salvaged_without_reading_it_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gibibyte of it is searched for frames; a mebibyte is enough here."""
    monkeypatch.setattr(segments, "LEGIBLE", 1 << 20)
    disk = EmbeddedDisk(tmp_path)
    for number in range(1, FRAMES + 1):
        EmbeddedLog(disk).append((HostState(f"host-{number}.test", float(number), 2.0),), float(number))
    disk.close()
    path = tmp_path / "log" / disk.list("log")[0]
    os.truncate(path, 2 << 40)
    with pytest.raises(BrokenLog, match="--salvage"):
        list(read_segment(disk, list_segments(disk)[0]))
    assert salvage(disk) == []
    assert path.with_name(f"{path.name}.damaged").stat().st_size == 2 << 40
    assert path.stat().st_size < 1 << 20
    assert [frame.sequence for frame in EmbeddedLog(disk).read()] == list(range(1, FRAMES + 1))


def write_sketch() -> list[object]:
    """An end with a value in a field that is reserved."""
    end = Finished(b"k" * 16, "http://a.test/", "http://a.test/", "a.test", State.COMPLETED, "")
    fields: list[object] = msgspec.msgpack.decode(msgspec.msgpack.encode(end))
    return [*fields[:-1], "x"]


@pytest.mark.parametrize("event", [["proposed", 1], write_sketch()])
def test_a_salvage_gives_up_nothing_that_a_newer_hondius_wrote(event: list[object]) -> None:
    disk = written(1 << 20)
    path = f"log/{disk.list('log')[0]}"
    disk.append(path, craft_frame(msgspec.msgpack.encode([event]), FRAMES + 1))
    before = disk.read(path)
    with pytest.raises(BadDirectory, match=r"upgrade$"):
        salvage(disk)
    assert disk.read(path) == before


MEGABYTE = 1_000_000


@pytest.mark.defect("a damaged segment was in memory as a whole, up to a gibibyte, and several times")
@pytest.mark.parametrize("is_compressed", [False, True])
def test_s10_a_large_damaged_segment_is_repaired_in_little_memory(tmp_path: Path, is_compressed: bool) -> None:
    disk = EmbeddedDisk(tmp_path)
    log = EmbeddedLog(disk, segment_bytes=1 << 30)
    chance = random.Random(1)
    for number in range(1, FRAMES + 1):
        log.append((Discovered(b"\xff" + chance.randbytes(MEGABYTE), 1),), float(number))
    log.close()
    [segment] = list_segments(disk)
    if is_compressed:
        compaction = segments.Compaction(disk, segment)
        while not compaction.step(1 << 20):
            pass
        EmbeddedLog(disk, segment_bytes=1 << 30).append((HostState("next.test", 1.0, 2.0),), 1.0)
        [segment, _] = list_segments(disk)
    path = tmp_path / segment.path
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"damage")
    tracemalloc.start()
    gaps = salvage(disk)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 1 <= len(list_lost(gaps)) <= 3
    assert peak < 20 * MEGABYTE
    said = {frame.sequence: bool(frame.events) for frame in EmbeddedLog(disk).read()}
    assert list(said) == list(range(1, FRAMES + 1 + is_compressed))
    assert {number for number, speaks in said.items() if not speaks} == list_lost(gaps)
    assert salvage(disk) == []


def test_s10_frames_are_found_however_the_bytes_are_cut_into_chunks() -> None:
    disk = written(1 << 20)
    path = f"log/{disk.list('log')[0]}"
    data, chance = disk.read(path), random.Random(2)
    data = data[:700] + chance.randbytes(300) + data[700:2_000] + data[2_100:]
    whole = list(frames.search([data], segments.HEADER_SIZE, 1))
    assert 20 < len(whole) < FRAMES
    for size in (1, 7, 64, 1_000):
        chunks = [data[start : start + size] for start in range(0, len(data), size)]
        assert list(frames.search(chunks, segments.HEADER_SIZE, 1)) == whole


def test_s10_a_frame_that_claims_to_be_endless_hides_no_other() -> None:
    disk = written(1 << 20)
    path = f"log/{disk.list('log')[0]}"
    data = disk.read(path)
    claims = [struct.pack("<IIBQd", length, 0, 2, 7, 1.0) for length in (999, 1_001, 400_000_000, 2**32 - 1)]
    data = data[:700] + b"".join(claims) + data[700:]
    found = [frame.sequence for frame in frames.search([data], segments.HEADER_SIZE, 1, 1_000)]
    assert len(found) >= FRAMES - 1
