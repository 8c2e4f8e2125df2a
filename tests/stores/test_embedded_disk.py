"""The embedded disk on a file system that fails."""

import errno
import os
from pathlib import Path

import pytest

from hondius.errors import DiskFull, HondiusError
from hondius.stores.disk import embedded
from hondius.stores.disk.embedded import EmbeddedDisk


@pytest.fixture
def disk(tmp_path: Path) -> EmbeddedDisk:
    return EmbeddedDisk(tmp_path, open_files=2)


def fill_after(monkeypatch: pytest.MonkeyPatch, room: int, error: int = errno.ENOSPC) -> None:
    """os.write on a disk with `room` free bytes: writes what fits, then fails."""
    left, write = [room], os.write

    def limited(file: int, data: memoryview) -> int:
        if left[0] == 0:
            raise OSError(error, os.strerror(error))
        written = write(file, data[: left[0]])
        left[0] -= written
        return written

    monkeypatch.setattr(os, "write", limited)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_leaves_the_file_as_it_was(
    disk: EmbeddedDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    """S5"""
    disk.append("a", b"before")
    fill_after(monkeypatch, 3, error)
    with pytest.raises(DiskFull, match="needs 10 bytes") as raised:
        disk.append("a", b"0123456789")
    assert str(tmp_path / "a") in str(raised.value)
    assert disk.read("a") == b"before"
    monkeypatch.undo()
    disk.append("a", b"+after")
    assert disk.read("a") == b"before+after"


def test_a_replace_that_does_not_fit_keeps_the_old_file_and_no_temporary(
    disk: EmbeddedDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.replace("a", b"old")
    fill_after(monkeypatch, 1)
    with pytest.raises(DiskFull):
        disk.replace("a", b"new")
    assert disk.read("a") == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_another_failure_names_the_file_and_takes_the_partial_write_back(
    disk: EmbeddedDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.append("a", b"before")
    fill_after(monkeypatch, 3, errno.EIO)
    with pytest.raises(HondiusError, match=r"/a: Input/output error"):
        disk.append("a", b"0123456789")
    assert disk.read("a") == b"before"


def test_few_descriptors_stay_open_however_many_files_view_may_know(disk: EmbeddedDisk) -> None:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0
    for turn in range(2):
        for number in range(20):
            disk.append(f"d/{number}", b"%d" % turn)
    if before:
        assert len(os.listdir("/proc/self/fd")) <= before + 2
    assert all(disk.read(f"d/{number}") == b"01" for number in range(20))
    disk.close()


def test_a_file_pushed_out_of_the_open_ones_is_synced_first(
    disk: EmbeddedDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append, raising=False)
    for path in ("a", "b", "c"):
        disk.append(path, b"x")
    assert len(synced) == 1


def test_a_temporary_left_by_a_crash_is_not_listed(disk: EmbeddedDisk, tmp_path: Path) -> None:
    disk.replace("d/a", b"x")
    (tmp_path / "d" / ".a.new").write_bytes(b"half")
    assert disk.list("d") == ["a"]
    disk.replace("d/a", b"whole")
    assert os.listdir(tmp_path / "d") == ["a"]


def test_s5_a_disk_that_cannot_sync_when_it_is_closed_keeps_no_descriptor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = EmbeddedDisk(tmp_path)
    for path in ("a", "b", "c"):
        disk.append(path, b"x")
    with monkeypatch.context() as patched:
        patched.setattr(embedded, "_sync", _refuse)
        with pytest.raises(HondiusError, match="Input/output error"):
            disk.close()
    assert not disk._writers
    disk.append("a", b"y")
    assert disk.read("a") == b"xy"
    disk.close()


def _refuse(file: int) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))
