"""The contract of `Archive`, for every adapter."""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from hondius.clock import SystemClock
from hondius.errors import Broken, DiskFull, HondiusError
from hondius.native import Fetched
from hondius.ports import Archive, Rewriting, StoredRecord
from hondius.stores.archive.embedded import EmbeddedArchive
from hondius.stores.archive.memory import MemoryArchive
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.simulated import Crash, SimulatedDisk
from tests.native.exchanges import fetch_all
from tests.native.loopback import response
from tests.stores.kept import Kept

ADAPTERS: dict[str, Callable[[Path], Archive]] = {
    "embedded": lambda root: EmbeddedArchive(EmbeddedDisk(root), durable={}, software="test"),
    "embedded, small files": lambda root: EmbeddedArchive(
        EmbeddedDisk(root), durable={}, software="test", file_bytes=1
    ),
    "embedded, simulated disk": lambda root: EmbeddedArchive(SimulatedDisk(), durable={}, software="test"),
    "in memory": lambda root: MemoryArchive({}, durable={}, software="test", clock=SystemClock()),
}
with_metadata = partial(Kept, metadata="via: seed\r\ndepth: 0\r\n")


@pytest.fixture(params=ADAPTERS)
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Archive:
    return ADAPTERS[request.param](tmp_path)


@pytest.fixture(scope="module")
def fetched() -> dict[str, Fetched]:
    return fetch_all({f"/{number}": response(b"page %d" % number, "Content-Type: text/plain") for number in range(4)})


def test_a_receipt_says_where_each_fetch_lies(archive: Archive, fetched: dict[str, Fetched]) -> None:
    """S3, S4"""
    for batch in (["/0", "/1"], ["/2"], ["/3"]):
        receipt = archive.append([with_metadata(fetched[path]) for path in batch])
        assert len(receipt.locations) == len(batch)
        ((file, length),) = receipt.durable
        for path, (place, offset, size) in zip(batch, receipt.locations, strict=True):
            assert place == file
            assert offset + size <= length
            fields, _, body = archive.read(place, offset, size)
            assert fields["warc-target-uri"] == fetched[path].href
            assert body == b"page %s" % path[1:].encode()


def test_nothing_to_keep_touches_no_file(archive: Archive) -> None:
    receipt = archive.append([])
    assert (receipt.locations, receipt.durable) == ([], [])


def test_what_is_no_record_is_told_apart_from_what_is_not_to_be_had(
    archive: Archive, fetched: dict[str, Fetched]
) -> None:
    """S3"""
    ((file, offset, length),) = archive.append([with_metadata(fetched["/0"])]).locations
    assert archive.record(file, offset, length).startswith(b"\x1f\x8b")
    assert archive.read(file, offset, length, cap=3)[2] == b"pag"
    with pytest.raises(Broken):
        archive.read(file, offset + 1, length)
    with pytest.raises(HondiusError):
        archive.record(f"another-{file}", offset, length)


def test_its_size_is_that_of_all_that_is_durable(archive: Archive, fetched: dict[str, Fetched]) -> None:
    assert archive.size() == 0
    durable = dict(archive.append([with_metadata(fetched["/0"])]).durable)
    durable |= dict(archive.append([with_metadata(fetched["/1"])]).durable)
    assert archive.size() == sum(durable.values())


def test_a_body_that_is_not_to_be_kept_is_not(archive: Archive, fetched: dict[str, Fetched]) -> None:
    """D4"""
    receipt = archive.append([with_metadata(fetched["/0"], keep_body=False)])
    fields, head, body = archive.read(*receipt.locations[0])
    assert body == b""
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert fields["warc-truncated"] == "unspecified"


def test_a_large_batch_is_kept_whole_a_few_bodies_in_memory_at_a_time(archive: Archive) -> None:
    """S3, Q2"""
    bodies = {f"/{number}": b"%d" % number * 5_000_000 for number in range(5)}
    fetched = fetch_all({path: response(body, "Content-Type: text/plain") for path, body in bodies.items()})
    receipt = archive.append([with_metadata(fetched[path]) for path in bodies])
    assert len(receipt.durable) == 1
    for (path, body), position in zip(bodies.items(), receipt.locations, strict=True):
        fields, _, kept = archive.read(*position)
        assert fields["warc-target-uri"] == fetched[path].href
        assert kept == body


def test_a_batch_for_which_there_is_no_room_leaves_the_file_as_it_was() -> None:
    """S4"""
    disk = SimulatedDisk()
    archive = EmbeddedArchive(disk, durable={}, software="test")
    noise = Random(1).randbytes
    small, *large = fetch_all(
        {"/0": response(b"small"), **{f"/{number}": response(noise(9_000_000)) for number in (1, 2)}}
    ).values()
    ((file, length),) = archive.append([with_metadata(small)]).durable
    disk.room = length + 12_000_000
    with pytest.raises(DiskFull):
        archive.append([with_metadata(fetched) for fetched in large])
    assert disk.size(f"warc/{file}") == length
    disk.room = 1 << 62
    receipt = archive.append([with_metadata(fetched) for fetched in large])
    assert receipt.durable == [(file, disk.size(f"warc/{file}"))]
    for fetched, position in zip(large, receipt.locations, strict=True):
        assert archive.read(*position)[0]["warc-target-uri"] == fetched.href


def _rewrite(archive: Archive, fetched: dict[str, Fetched], unwanted: str) -> tuple[str, Rewriting, list[int]]:
    """Two pages in one file, one of which loses its body. Returns the file and where its records were."""
    receipt = archive.append([with_metadata(fetched["/0"]), with_metadata(fetched["/1"])])
    archive.append([with_metadata(fetched["/2"])])
    archive.close()
    ((file, length),) = receipt.durable
    seen: list[StoredRecord] = []

    def is_unwanted(record: StoredRecord) -> bool:
        seen.append(record)
        return record.target.endswith(unwanted)

    written = archive.rewrite(file, length, is_unwanted)
    offsets = [offset for _, offset, _ in receipt.locations]
    assert [record.offset for record in seen if record.offset in offsets] == offsets
    assert all(len(record.date) == 14 for record in seen)
    return file, written, offsets


def test_a_rewritten_file_has_all_records_and_lacks_the_unwanted_bodies(
    archive: Archive, fetched: dict[str, Fetched]
) -> None:
    """S9"""
    file, written, offsets = _rewrite(archive, fetched, "/1")
    places = {move.old: move for move in written.moves}
    assert archive.has(file)
    assert archive.has(written.into)
    bodies = []
    for offset in offsets:
        move = places[offset]
        fields, head, body = archive.read(written.into, move.new, move.length)
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        bodies.append((fields["warc-target-uri"].rpartition("/")[2], body, bool(move.is_shortened)))
    assert bodies == [("0", b"page 0", False), ("1", b"", True)]
    ends = sorted((move.new, move.length) for move in written.moves)
    assert all(one + size == other for (one, size), (other, _) in pairwise(ends)), "no gaps"
    assert sum(ends[-1]) == written.length
    archive.remove(file)
    assert not archive.has(file)
    with pytest.raises(HondiusError):
        archive.read(file, offsets[0], 10)
    assert archive.read(written.into, places[offsets[0]].new, places[offsets[0]].length)[2] == b"page 0"


def test_a_file_can_be_rewritten_again(archive: Archive, fetched: dict[str, Fetched]) -> None:
    """S9"""
    file, written, _ = _rewrite(archive, fetched, "/1")
    archive.remove(file)
    again = archive.rewrite(written.into, written.length, lambda record: True)
    assert again.into != written.into
    assert len(again.moves) == len(written.moves)
    for move in again.moves:
        assert archive.read(again.into, move.new, move.length)[2] == b"" or not move.is_shortened


def test_a_damaged_file_is_not_rewritten(tmp_path: Path, fetched: dict[str, Fetched]) -> None:
    """S9: what can still be read of it stays where it is."""
    disk = EmbeddedDisk(tmp_path)
    archive = EmbeddedArchive(disk, durable={}, software="test")
    ((file, length),) = archive.append([with_metadata(fetched["/0"]), with_metadata(fetched["/1"])]).durable
    archive.close()
    disk.truncate(f"warc/{file}", length - 5)
    disk.append(f"warc/{file}", b"\0\0\0\0\0")
    with pytest.raises(Broken, match=re.escape(file)):
        archive.rewrite(file, length, lambda record: True)
    assert sorted(disk.list("warc")) == sorted([file, file.replace(".warc.gz", ".cdxj")])


@pytest.mark.parametrize("crash_at", range(1, 9))
def test_a_kill_while_a_file_is_rewritten_loses_nothing(crash_at: int, fetched: dict[str, Fetched]) -> None:
    """S9: until the log has the new file, the next opening removes it."""
    disk = SimulatedDisk()
    archive = EmbeddedArchive(disk, durable={}, software="test")
    receipt = archive.append([with_metadata(fetched["/0"]), with_metadata(fetched["/1"])])
    archive.close()
    ((file, length),) = receipt.durable
    before = disk.read(f"warc/{file}")
    disk.crash_at = disk.operations + crash_at
    with suppress(Crash):
        archive.rewrite(file, length, lambda record: True)
    disk.restart()
    again = EmbeddedArchive(disk, durable={file: length}, software="test")
    assert disk.read(f"warc/{file}") == before
    assert [name for name in disk.list("warc") if name.endswith(".warc.gz")] == [file]
    written = again.rewrite(file, length, lambda record: True)
    assert {move.old for move in written.moves} >= {offset for _, offset, _ in receipt.locations}
