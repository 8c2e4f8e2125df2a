"""The contract of `Disk`, for every adapter."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hondius.errors import HondiusError
from hondius.ports import Disk
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.simulated import SimulatedDisk

ADAPTERS: dict[str, Callable[[Path], Disk]] = {"embedded": EmbeddedDisk, "simulated": lambda root: SimulatedDisk()}


@pytest.fixture(params=ADAPTERS)
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Disk:
    return ADAPTERS[request.param](tmp_path)


def test_appended_bytes_are_read_back_in_order(disk: Disk) -> None:
    disk.append("log/a", b"one")
    disk.append("log/a", b"two")
    disk.sync("log/a")
    assert disk.read("log/a") == b"onetwo"
    assert disk.size("log/a") == 6


def test_a_part_of_a_file_can_be_read(disk: Disk) -> None:
    disk.append("a", b"0123456789")
    assert disk.read("a", 3, 4) == b"3456"
    assert disk.read("a", 8) == b"89"
    assert disk.read("a", 8, 100) == b"89"
    assert disk.read("a", 100) == b""


def test_replace_writes_the_whole_file_anew(disk: Disk) -> None:
    disk.append("d/a", b"something long")
    disk.replace("d/a", b"short")
    assert disk.read("d/a") == b"short"
    disk.append("d/a", b"er")
    assert disk.read("d/a") == b"shorter"


def test_a_copy_stays_when_the_file_is_replaced_or_removed(disk: Disk) -> None:
    disk.append("d/a", b"old")
    disk.copy("d/a", "d/b")
    disk.replace("d/a", b"new")
    assert (disk.read("d/a"), disk.read("d/b")) == (b"new", b"old")
    disk.copy("d/a", "d/b")
    disk.remove("d/a")
    assert disk.read("d/b") == b"new"


def test_a_file_is_copied_where_the_file_system_has_no_hard_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    disk = EmbeddedDisk(tmp_path)
    content = bytes(range(256)) * 10_000
    disk.replace("a", content)
    disk.copy("a", "b")
    disk.remove("a")
    assert disk.read("b") == content


def test_a_truncated_file_goes_on_where_it_was_cut(disk: Disk) -> None:
    disk.append("a", b"0123456789")
    disk.truncate("a", 4)
    disk.append("a", b"x")
    assert disk.read("a") == b"0123x"


def test_a_removed_file_is_gone_and_may_come_back(disk: Disk) -> None:
    disk.append("d/a", b"old")
    disk.remove("d/a")
    assert not disk.exists("d/a")
    disk.append("d/a", b"new")
    assert disk.read("d/a") == b"new"


def test_list_names_the_files_of_one_directory_in_order(disk: Disk) -> None:
    for path in ("d/b", "d/a", "e/c"):
        disk.append(path, b"x")
    assert disk.list("d") == ["a", "b"]
    assert disk.list("nowhere") == []


@pytest.mark.parametrize("operation", ["read", "size", "sync"])
def test_a_missing_file_is_an_error_that_names_it(disk: Disk, operation: str) -> None:
    with pytest.raises(HondiusError, match="no-such-file"):
        getattr(disk, operation)("no-such-file")


def test_there_is_room(disk: Disk) -> None:
    assert disk.free_bytes() > 0


def test_a_disk_that_was_closed_can_be_used_again(disk: Disk) -> None:
    disk.append("log/a", b"one")
    disk.close()
    disk.close()
    disk.append("log/a", b"two")
    disk.sync("log/a")
    assert disk.read("log/a") == b"onetwo"
    disk.close()
