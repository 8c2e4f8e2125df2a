"""A crawl on a disk to the brim: what only reads works there, and no command is killed by a page that finds no room."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hondius.errors import DiskFull
from hondius.stores.catalog.embedded import EmbeddedCatalog
from tests.acceptance.crash.full_disk import BLOCKS, MEMORY, NOT_MOUNTABLE, mountable, small_disk
from tests.use.small_crawl import SmallCrawl, copy_as_killed

SIZE = 12 << 20
"""So small that its blocks are smaller than a page of memory."""


@pytest.fixture(params=["killed", "ended"])
def full(request: pytest.FixtureRequest, crawl: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of the crawl on a disk that has no room left."""
    if BLOCKS not in mountable():
        pytest.skip(NOT_MOUNTABLE)
    with small_disk(tmp_path, BLOCKS, SIZE) as disk:
        copy = disk.root / "crawl"
        if request.param == "ended":
            shutil.copytree(crawl, copy)
        else:
            copy_as_killed(crawl, copy)
        disk.fill()
        yield copy


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("status", "host"),
        ("explain", "it ended: completed"),
        ("audit", "audited in"),
        ("export", '"state":"completed"'),
    ],
)
def test_s5_a_crawl_on_a_full_disk_can_be_read(full: Path, small_crawl: SmallCrawl, command: str, told: str) -> None:
    arguments = [command, str(full), *([small_crawl.page] if command == "explain" else [])]
    ended = subprocess.run([sys.executable, "-m", "hondius", *arguments], capture_output=True, text=True, timeout=60)
    assert ended.returncode in (0, 1), ended
    assert told in ended.stdout


@pytest.mark.parametrize("kind", [MEMORY, BLOCKS])
@pytest.mark.parametrize(
    ("command", "told"),
    [("status", "host"), ("explain", "it ended: completed"), ("export", '"state":"completed"')],
)
def test_s5_a_crawl_that_waits_for_room_can_be_read(
    kind: str, crawl: Path, tmp_path: Path, small_crawl: SmallCrawl, command: str, told: str
) -> None:
    """The process that writes has the database open, and its shared memory allocated."""
    if kind not in mountable():
        pytest.skip(NOT_MOUNTABLE)
    with small_disk(tmp_path, kind, SIZE) as disk:
        copy = disk.root / "crawl"
        shutil.copytree(crawl, copy)
        with closing(EmbeddedCatalog.open(copy / "crawl.db")):
            disk.fill()
            arguments = [command, str(copy), *([small_crawl.page] if command == "explain" else [])]
            ended = subprocess.run(
                [sys.executable, "-m", "hondius", *arguments], capture_output=True, text=True, timeout=60
            )
    assert ended.returncode == 0, ended
    assert told in ended.stdout


def test_s5_whoever_writes_is_told_of_the_full_disk_before_anything_is_mapped(full: Path) -> None:
    with pytest.raises(DiskFull):
        EmbeddedCatalog.open(full / "crawl.db")


def test_s5_the_catalog_has_its_shared_memory_allotted(tmp_path: Path) -> None:
    if BLOCKS not in mountable():
        pytest.skip(NOT_MOUNTABLE)
    with small_disk(tmp_path, BLOCKS, SIZE) as disk, closing(EmbeddedCatalog.open(disk.root / "crawl.db")):
        shared = (disk.root / "crawl.db-shm").stat()
        assert shared.st_blocks * 512 >= shared.st_size >= 128 * 1024
