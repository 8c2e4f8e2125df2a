"""WARC files and their indices, and what is left of them after a crash."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius.errors import Broken, DiskFull, HondiusError
from hondius.native import Fetched, warc_scan
from hondius.stores.archive.embedded import EmbeddedArchive
from hondius.stores.disk.simulated import Crash, SimulatedDisk
from tests.native.exchanges import fetch_all
from tests.native.loopback import response
from tests.stores.kept import Kept

BODY = b"the same words for everyone " * 50


@pytest.fixture(scope="module")
def fetched() -> dict[str, Fetched]:
    return fetch_all({f"/{number}": response(BODY, "Content-Type: text/plain") for number in range(3)})


def opened(disk: SimulatedDisk, durable: dict[str, int] | None = None, file_bytes: int = 1 << 30) -> EmbeddedArchive:
    return EmbeddedArchive(disk, durable=durable or {}, software="test", file_bytes=file_bytes)


def date_of(archive: EmbeddedArchive, position: tuple[str, int, int]) -> str:
    return archive.read(*position)[0]["warc-date"]


def test_a_file_starts_with_what_wrote_it_and_is_indexed_when_it_is_done(fetched: dict[str, Fetched]) -> None:
    """S3"""
    disk = SimulatedDisk()
    archive = opened(disk, file_bytes=1)
    for path in ("/1", "/0"):
        archive.append([Kept(fetched[path])])
    archive.close()
    names = disk.list("warc")
    assert [name.rpartition("-")[2] for name in names] == [
        "00001.cdxj",
        "00001.warc.gz",
        "00002.cdxj",
        "00002.warc.gz",
    ]
    for name in names[1::2]:
        entries, whole = warc_scan(disk.read(f"warc/{name}"))
        assert whole == disk.size(f"warc/{name}")
        assert [entry.kind for entry in entries] == ["warcinfo", "response", "request"]


def test_an_index_tells_nothing_of_what_is_cut_off(fetched: dict[str, Fetched]) -> None:
    """S3: a complete file whose last batch is in no frame."""
    disk = SimulatedDisk()
    archive = opened(disk)
    durable = dict(archive.append([Kept(fetched["/0"])]).durable)
    archive.append([Kept(fetched["/1"])])
    archive.close()
    opened(disk, durable).close()
    index, warc = disk.list("warc")
    assert len(disk.read(f"warc/{index}").splitlines()) == 1
    assert disk.size(f"warc/{warc}") == durable[warc]


def test_index_lines_are_sorted(fetched: dict[str, Fetched]) -> None:
    disk = SimulatedDisk()
    archive = opened(disk)
    archive.append([Kept(fetched[path]) for path in ("/2", "/0", "/1")])
    archive.append([Kept(fetched[path]) for path in ("/1", "/0")])
    archive.close()
    lines = disk.read(f"warc/{disk.list('warc')[0]}").splitlines()
    assert len(lines) == 5
    assert lines == sorted(lines)


def test_an_exact_copy_becomes_a_revisit(fetched: dict[str, Fetched]) -> None:
    """X3: copies of an earlier batch, and of the same one."""
    archive = opened(SimulatedDisk())
    (first,) = archive.append([Kept(fetched["/0"])]).locations
    href, date = fetched["/0"].href, date_of(archive, first)
    (copy,) = archive.append([Kept(fetched["/1"], href, date)]).locations
    fields, _, body = archive.read(*copy)
    assert (fields["warc-type"], body) == ("revisit", b"")
    assert (fields["warc-refers-to-target-uri"], fields["warc-refers-to-date"]) == (href, date)
    other = opened(SimulatedDisk())
    _, copy = other.append([Kept(fetched["/0"]), Kept(fetched["/1"], href, date)]).locations
    assert other.read(*copy)[0]["warc-type"] == "revisit"


def test_a_copy_whose_original_is_not_known_to_be_kept_is_kept_whole(fetched: dict[str, Fetched]) -> None:
    """X3: after a restart, and if the original asked not to be archived."""
    archive = opened(SimulatedDisk())
    (first,) = archive.append([Kept(fetched["/0"], keep_body=False)]).locations
    (copy,) = archive.append([Kept(fetched["/1"], fetched["/0"].href, date_of(archive, first))]).locations
    fields, _, body = archive.read(*copy)
    assert (fields["warc-type"], body) == ("response", BODY)


def test_what_no_frame_knows_is_cut_off(fetched: dict[str, Fetched]) -> None:
    """S4, F5"""
    disk = SimulatedDisk()
    archive = opened(disk)
    known = archive.append([Kept(fetched["/0"])]).durable
    archive.append([Kept(fetched["/1"])])
    name, length = known[0]
    archive = opened(disk, dict(known))
    assert disk.size(f"warc/{name}") == length
    index = disk.read(f"warc/{name.removesuffix('.warc.gz')}.cdxj").splitlines()
    assert len(index) == 1
    ((other, _),) = archive.append([Kept(fetched["/1"])]).durable
    assert other.endswith("-00002.warc.gz"), "a file of an earlier run is left alone"


def test_a_file_that_no_frame_knows_is_removed(fetched: dict[str, Fetched]) -> None:
    disk = SimulatedDisk()
    opened(disk).append([Kept(fetched["/0"])])
    opened(disk)
    assert disk.list("warc") == []


def test_many_files_that_no_frame_knows_are_left_and_told(fetched: dict[str, Fetched]) -> None:
    """Then the log is missing; the files are not superfluous."""
    disk = SimulatedDisk()
    archive = opened(disk, file_bytes=1)
    for _ in range(2):
        archive.append([Kept(fetched["/0"])])
    before = disk.list("warc")
    with pytest.raises(Broken, match="the log knows nothing of 2 WARC files"):
        opened(disk)
    assert disk.list("warc") == before


def test_a_foreign_file_is_left_alone(fetched: dict[str, Fetched]) -> None:
    disk = SimulatedDisk()
    disk.append("warc/mine.warc.gz", b"x")
    opened(disk)
    assert disk.list("warc") == ["mine.warc.gz"]


def test_a_file_that_was_moved_away_is_not_missed(fetched: dict[str, Fetched]) -> None:
    disk = SimulatedDisk()
    archive = opened(disk)
    durable = dict(archive.append([Kept(fetched["/0"])]).durable)
    archive.close()
    for name in disk.list("warc"):
        disk.remove(f"warc/{name}")
    ((name, _),) = opened(disk, durable).append([Kept(fetched["/0"])]).durable
    assert name not in durable


def test_a_file_that_lost_committed_bytes_is_told(fetched: dict[str, Fetched]) -> None:
    disk = SimulatedDisk()
    ((name, length),) = opened(disk).append([Kept(fetched["/0"])]).durable
    disk.truncate(f"warc/{name}", length - 1)
    with pytest.raises(Broken, match="put it back from a copy"):
        opened(disk, {name: length})


def test_a_full_disk_leaves_the_file_as_it_was(fetched: dict[str, Fetched]) -> None:
    """S5"""
    disk = SimulatedDisk()
    archive = opened(disk)
    ((name, length),) = archive.append([Kept(fetched["/0"])]).durable
    disk.room = length + 300
    with pytest.raises(DiskFull):
        archive.append([Kept(fetched["/1"])])
    assert disk.size(f"warc/{name}") == length
    disk.room = 1 << 30
    (position,) = archive.append([Kept(fetched["/1"])]).locations
    assert position[:2] == (name, length)
    assert archive.read(*position)[2] == BODY


def test_an_index_without_room_is_made_at_the_next_start(
    fetched: dict[str, Fetched], monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SimulatedDisk()
    append = disk.append

    def refuse_indices(path: str, data: bytes) -> None:
        if path.endswith(".part"):
            raise DiskFull("no room")
        append(path, data)

    archive = opened(disk)
    monkeypatch.setattr(disk, "append", refuse_indices)
    durable = dict(archive.append([Kept(fetched["/0"])]).durable)
    monkeypatch.undo()
    durable |= dict(archive.append([Kept(fetched["/1"])]).durable)
    archive.close()
    opened(disk, durable)
    (index,) = (name for name in disk.list("warc") if name.endswith(".cdxj"))
    assert len(disk.read(f"warc/{index}").splitlines()) == 2


def test_after_a_failed_sync_another_file_is_begun(
    fetched: dict[str, Fetched], monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SimulatedDisk()
    archive = opened(disk)
    ((first, _),) = archive.append([Kept(fetched["/0"])]).durable

    def fail(path: str) -> None:
        raise HondiusError("disk: Input/output error")

    monkeypatch.setattr(disk, "sync", fail)
    with pytest.raises(HondiusError):
        archive.append([Kept(fetched["/1"])])
    monkeypatch.undo()
    ((second, _),) = archive.append([Kept(fetched["/1"])]).durable
    assert second != first


@given(crash_at=st.integers(1, 60), power=st.booleans(), seed=st.integers(0, 100))
def test_what_was_committed_survives_a_crash_at_any_operation(
    fetched: dict[str, Fetched], crash_at: int, power: bool, seed: int
) -> None:
    """F5, S4: every returned position can be read, and every file is valid from end to end."""
    disk, durable = SimulatedDisk(), dict[str, int]()
    positions: list[tuple[str, int, int]] = []
    disk.crash_at = crash_at
    try:
        archive = opened(disk, file_bytes=3000)
        for number in range(12):
            receipt = archive.append([Kept(fetched[f"/{number % 3}"])])
            durable |= receipt.durable
            positions += receipt.locations
        archive.close()
    except Crash:
        pass
    disk.lose_power(random.Random(seed)) if power else disk.restart()
    archive = opened(disk, durable)
    for position in positions:
        assert archive.read(*position)[2] == BODY
    for name in disk.list("warc"):
        if name.endswith(".warc.gz"):
            entries, whole = warc_scan(disk.read(f"warc/{name}"), 0, name)
            assert whole == durable[name]
            lines = sorted(entry.cdxj.encode() for entry in entries if entry.cdxj is not None)
            assert disk.read(f"warc/{name.removesuffix('.warc.gz')}.cdxj").splitlines() == lines
