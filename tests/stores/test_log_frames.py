"""A frame as bytes, however they are cut."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius.errors import BadDirectory
from hondius.model import Discovered
from hondius.stores.disk.simulated import SimulatedDisk
from hondius.stores.log import frames
from hondius.stores.log.embedded import EmbeddedLog
from hondius.stores.log.segments import STEP_BYTES

DATA = [frames.encode(number, 1.0, (Discovered(bytes([number]) * number * 7, 1),)) for number in range(1, 12)]


@given(step=st.integers(1, 300), offset=st.integers(0, 1000))
def test_frames_are_found_wherever_the_chunks_end(step: int, offset: int) -> None:
    data = b"".join(DATA)
    chunks = [data[start : start + step] for start in range(0, len(data), step)]
    found = list(frames.split(chunks, offset))
    assert [raw.sequence for raw in found] == list(range(1, 12))
    assert [raw.end - raw.offset for raw in found] == [len(frame) for frame in DATA]
    assert found[0].offset == offset
    assert found[-1].end == offset + len(data)


def test_frames_longer_than_what_is_read_at_a_time_are_whole() -> None:
    disk = SimulatedDisk()
    log = EmbeddedLog(disk)
    bodies = [bytes([number]) * (STEP_BYTES * number // 2) for number in range(1, 6)]
    for body in bodies:
        log.append((Discovered(body, 1),), 1.0)
    again = EmbeddedLog(disk)
    assert [frame.events for frame in again.read()] == [(Discovered(body, 1),) for body in bodies]


def test_a_frame_behind_junk_is_found_by_its_checksum_alone() -> None:
    junk = b"\x01\x05\x00\x00\x00\x00\x00\x00\x00" * 20
    assert frames.find(junk + DATA[6] + junk, 0, 5)
    assert not frames.find(junk + DATA[3] + junk, 0, 5), "an older frame is no news"
    assert not frames.find(junk + DATA[6][:-1], 0, 5)


def test_a_frame_of_a_newer_format_asks_for_an_upgrade() -> None:
    raw = frames.RawFrame(0, 0, 1, struct.pack("<BQd", 9, 1, 1.0) + b"\x90")
    with pytest.raises(BadDirectory, match=r"newer Hondius \(format 9\); upgrade"):
        frames.decode(raw, "log/1.log")


def test_an_event_that_nobody_knows_asks_for_an_upgrade() -> None:
    raw = frames.RawFrame(0, 0, 1, struct.pack("<BQd", 1, 1, 1.0) + b"\x91\x91\xa7unknown")
    with pytest.raises(BadDirectory, match="cannot read"):
        frames.decode(raw, "log/1.log")
