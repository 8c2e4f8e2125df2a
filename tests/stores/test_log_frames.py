"""Frames as bytes, in chunks of any size."""

import struct
from typing import get_args
from zlib import crc32

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius import __version__
from hondius.errors import BadDirectory
from hondius.model import (
    RESERVED_EVENTS,
    AnyEvent,
    Blacklisted,
    Discovered,
    Finished,
    Frame,
    HostOrder,
    PartitionEvent,
    State,
)
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


HEADS = {1: struct.pack("<BQd", 1, 7, 1.5), 2: struct.pack("<BQdQQ", 2, 7, 1.5, 0, 0)}
"""The beginning of a frame, by format."""


def raw(written_format: int, payload: bytes) -> frames.RawFrame:
    return frames.RawFrame(0, 0, 7, HEADS[written_format] + payload)


@pytest.mark.parametrize("written_format", HEADS)
def test_an_event_that_nobody_knows_asks_for_an_upgrade(written_format: int) -> None:
    with pytest.raises(BadDirectory, match="cannot read"):
        frames.decode(raw(written_format, b"\x91\x91\xa7unknown"), "log/1.log")


@pytest.mark.parametrize("written_format", HEADS)
@pytest.mark.parametrize(("tag", "name"), RESERVED_EVENTS.items())
def test_a_reserved_event_is_refused_by_name_and_never_passed_over(written_format: int, tag: str, name: str) -> None:
    payload = msgspec.msgpack.encode([["seeds", 1.0, "a", 1, True, ""], [tag, 1, b"more"]])
    with pytest.raises(BadDirectory, match=f"newer Hondius, {name}; this is Hondius {__version__}, format 2: upgrade"):
        frames.decode(raw(written_format, payload), "log/1.log")


def test_no_event_takes_a_reserved_tag() -> None:
    tags = {event.__struct_config__.tag for event in get_args(PartitionEvent)}
    assert tags.isdisjoint(RESERVED_EVENTS)


@given(epoch=st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)))
def test_a_frame_names_the_epoch_of_its_owner(epoch: tuple[int, int]) -> None:
    (found,) = frames.split([frames.encode(3, 2.0, (), epoch)], 0)
    assert frames.decode(found, "log/1.log") == Frame(3, 2.0, (), 0, epoch)
    (found,) = frames.split([frames.encode(3, 2.0, ())], 0)
    assert frames.decode(found, "log/1.log").epoch == (0, 0), "an embedded crawl has none"


OLD = ["finished", b"k" * 16, "http://a.test/", "http://a.test/", "a.test", "completed", ""]
"""The end of a page, as format 1 wrote it, up to its first field with a default."""


def of_format_1(*events: object) -> bytes:
    content = HEADS[1] + msgspec.msgpack.encode(events)
    return struct.pack("<II", len(content), crc32(content)) + content


def finished_of_format_1(etag: str) -> list[object]:
    end = Finished(b"k" * 16, "u", "u", "h", State.COMPLETED, "")
    names = ("event", *Finished.__struct_fields__)
    values = list(msgspec.to_builtins(end, builtin_types=(bytes,)))[: names.index("text_version")]
    values[names.index("etag")], values[names.index("last_modified")] = etag, "yesterday"
    return values


@pytest.mark.parametrize(("text", "etag"), [('"v"', b'"v"'), ('"\xe9\xff"', b'"\xe9\xff"'), ("\u20ac", b""), ("", b"")])
def test_validators_of_format_1_become_the_bytes_that_came(text: str, etag: bytes) -> None:
    """H4"""
    (found,) = frames.split([of_format_1(finished_of_format_1(text), OLD)], 0)
    whole, short = frames.decode(found, "log/1.log").events
    assert isinstance(whole, Finished)
    assert isinstance(short, Finished)
    assert (whole.etag, whole.last_modified, whole.links_file, whole.text_version) == (etag, b"yesterday", None, 0)
    assert (short.etag, short.url) == (b"", "http://a.test/")


@pytest.mark.parametrize("events", [3, [3], [[]], [["finished"]], [["finished", 1]], {"a": 1}, [[["finished"]]]])
def test_nonsense_of_format_1_asks_for_an_upgrade(events: object) -> None:
    with pytest.raises(BadDirectory, match="cannot read"):
        frames.decode(raw(1, msgspec.msgpack.encode(events)), "log/1.log")


def test_a_log_of_format_1_goes_on_in_format_2() -> None:
    """One segment may have frames of both formats, each read by its own rules."""
    disk = SimulatedDisk()
    old = HEADS[1][:1] + struct.pack("<Qd", 1, 1.5) + msgspec.msgpack.encode([finished_of_format_1('"v"')])
    header = struct.pack("<8sI", b"HONDLOG\n", 1)
    disk.replace("log/00000000000000000001.log", header + struct.pack("<II", len(old), crc32(old)) + old)
    log = EmbeddedLog(disk)
    new = Finished(b"l" * 16, "u", "u", "h", State.COMPLETED, "", etag=b'"\xff"', links_file="x.links")
    log.append([new], 2.5)
    first, second = EmbeddedLog(disk).read()
    assert [event.etag for frame in (first, second) for event in frame.events if isinstance(event, Finished)] == [
        b'"v"',
        b'"\xff"',
    ]
    assert second.events == (new,)
    assert first.log == second.log == log.identity != 0


def test_a_frame_too_short_for_its_format_is_none() -> None:
    content = HEADS[2][:20]
    data = struct.pack("<II", len(content), crc32(content)) + content
    with pytest.raises(frames.FrameError):
        list(frames.split([data], 0))


@pytest.mark.parametrize(
    "event",
    [
        Blacklisted(".", "all", 1.0),
        Blacklisted("a.test", "never", -1e300),
        HostOrder("a.test", 1.0, 1e308),
    ],
    ids=repr,
)
def test_q2_an_order_with_an_impossible_value_is_never_written(event: AnyEvent) -> None:
    with pytest.raises(frames.ImplausibleEvent, match="impossible value"):
        frames.encode(1, 1.0, (event,))
