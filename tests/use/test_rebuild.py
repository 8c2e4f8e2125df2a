"""S10: every view made anew from the log."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from hondius.errors import HondiusError
from hondius.model import Frame
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.catalog.schema import TABLES
from hondius.use.rebuild import rebuild_views
from hondius.use.verify import verify_crawl
from tests.use.small_crawl import SETTINGS, make_crawl


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    make_crawl(tmp_path)
    return tmp_path


def rows(crawl: Path) -> dict[str, list[tuple[object, ...]]]:
    catalog = EmbeddedCatalog.open(crawl / "crawl.db", read_only=True)
    content = {table: list(catalog.table(table)) for table in TABLES}
    catalog.close()
    return content


def test_views_made_anew_equal_the_old_ones(crawl: Path) -> None:
    names = {path.name for path in crawl.iterdir()}
    before = rows(crawl)
    seen: list[tuple[int, int]] = []
    assert rebuild_views(crawl, SETTINGS, lambda done, of: seen.append((done, of))).frames == 2
    assert rows(crawl) == before
    assert seen[-1] == (2, 2)
    assert {path.name for path in crawl.iterdir()} - {"crawl.db-wal", "crawl.db-shm"} == names
    assert verify_crawl(crawl, SETTINGS).clean


def test_a_catalog_of_another_crawl_is_no_witness_of_lost_frames(
    crawl: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    before, other = rows(crawl), tmp_path_factory.mktemp("other")
    make_crawl(other)
    catalog = EmbeddedCatalog.open(other / "crawl.db")
    catalog.apply([Frame(3, 3.0, ())])
    catalog.close()
    shutil.copyfile(other / "crawl.db", crawl / "crawl.db")
    assert rebuild_views(crawl, SETTINGS).frames == 2
    assert rows(crawl) == before


def test_views_that_cannot_be_saved_do_not_take_the_places_of_the_old(crawl: Path) -> None:
    """S5"""
    before = rows(crawl)

    def obstruct(done: int, of: int) -> None:
        (crawl / "urls.new" / "runs" / "00000000.run").mkdir()

    with pytest.raises(HondiusError, match="could not be saved"):
        rebuild_views(crawl, SETTINGS, obstruct)
    assert rows(crawl) == before
    assert verify_crawl(crawl, SETTINGS).clean


def test_lost_views_are_made(crawl: Path) -> None:
    before = rows(crawl)
    for file in crawl.glob("crawl.db*"):
        file.unlink()
    shutil.rmtree(crawl / "urls")
    rebuild_views(crawl, SETTINGS)
    assert rows(crawl) == before
    assert verify_crawl(crawl, SETTINGS).clean


def test_the_write_ahead_log_of_the_old_catalog_is_not_played_into_the_new(crawl: Path) -> None:
    damaged = apsw.Connection(str(crawl / "crawl.db"))
    damaged.execute("UPDATE pages SET title = 'wrong'")
    kept = {name: (crawl / name).read_bytes() for name in ("crawl.db", "crawl.db-wal")}
    damaged.close()
    for name, data in kept.items():
        (crawl / name).write_bytes(data)
    rebuild_views(crawl, SETTINGS)
    assert verify_crawl(crawl, SETTINGS).clean


KILLED = """
import os, pathlib, signal, sys
from hondius.use.rebuild import rebuild
from hondius.settings import Settings
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(rebuild, sys.argv[2], die)
rebuild.rebuild_views(pathlib.Path(sys.argv[1]), Settings())
"""


@pytest.mark.parametrize("step", ["catch_up", "_replace_catalog", "_replace_urls"])
def test_a_rebuild_that_is_killed_can_be_done_again(crawl: Path, step: str) -> None:
    before = rows(crawl)
    killed = subprocess.run([sys.executable, "-c", KILLED, crawl, step], check=False, env=os.environ)
    assert killed.returncode == -signal.SIGKILL
    rebuild_views(crawl, SETTINGS)
    assert rows(crawl) == before
    assert verify_crawl(crawl, SETTINGS).clean
