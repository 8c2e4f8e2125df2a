"""One process per crawl directory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hondius.errors import BadDirectory, DirectoryInUse
from hondius.stores.disk.lock import DirectoryLock, find_holder

HOLD = """
import sys, pathlib
from hondius.stores.disk.lock import DirectoryLock
lock = DirectoryLock(pathlib.Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_directory_in_use_names_the_process_and_what_to_do(tmp_path: Path) -> None:
    with DirectoryLock(tmp_path), pytest.raises(DirectoryInUse) as raised:
        DirectoryLock(tmp_path)
    assert str(raised.value) == f"{tmp_path} is in use by process {os.getpid()}; stop it or choose another directory"
    assert raised.value.exit_status == 2


def test_a_closed_lock_frees_the_directory(tmp_path: Path) -> None:
    DirectoryLock(tmp_path / "new" / "crawl").close()
    DirectoryLock(tmp_path / "new" / "crawl").close()


def test_a_killed_process_frees_the_directory(tmp_path: Path) -> None:
    """F5"""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as find_holder:
        assert find_holder.stdout is not None
        assert find_holder.stdout.readline() == "held\n"
        with pytest.raises(DirectoryInUse, match=f"process {find_holder.pid};"):
            DirectoryLock(tmp_path)
        find_holder.kill()
        find_holder.wait()
    DirectoryLock(tmp_path).close()


def test_a_path_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("something else")
    with pytest.raises(BadDirectory, match="choose another directory"):
        DirectoryLock(tmp_path / "file")


def test_the_find_holder_is_named_only_while_it_holds(tmp_path: Path) -> None:
    assert find_holder(tmp_path) is None
    with DirectoryLock(tmp_path):
        assert find_holder(tmp_path) == os.getpid()
    assert find_holder(tmp_path) is None
    assert find_holder(tmp_path / "nowhere") is None
