"""An archived crawl: what only reads works where nothing can be written, and leaves every file as it is."""

import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from hondius.model import Frame, HostState
from hondius.stores.catalog.embedded import EmbeddedCatalog
from tests.use.small_crawl import make_crawl

SHUT = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && ! touch "$1"/probe 2>/dev/null && shift && exec "$@"'


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    directory = tmp_path_factory.mktemp("crawl")
    return directory, make_crawl(directory)["/"].href


@pytest.fixture
def archived(page: tuple[Path, str], tmp_path: Path) -> Path:
    return Path(shutil.copytree(page[0], tmp_path / "an archive"))


def in_the_archive(directory: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs a command where the directory is mounted read-only, for root too."""
    shut = ["unshare", "--map-root-user", "--mount", "sh", "-c", SHUT, "sh", str(directory)]
    if shutil.which("unshare") is None or subprocess.run([*shut, "true"], capture_output=True).returncode:
        pytest.skip("this system gives no mount namespace of one's own")
    command = [sys.executable, "-m", "hondius", *map(str, arguments)]
    return subprocess.run([*shut, *command], capture_output=True, text=True, timeout=60)


def files(directory: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in directory.rglob("*")}


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("status", "1 host"),
        ("verify", "not checked: whether urls/ knows what the log knows"),
        ("explain", "it ended: completed"),
        ("audit", "audited in"),
        ("export", '"state":"completed"'),
    ],
)
def test_o1_a_crawl_that_cannot_be_written_can_be_read(
    archived: Path, page: tuple[Path, str], command: str, told: str
) -> None:
    before = files(archived)
    ended = in_the_archive(archived, command, archived, *([page[1]] if command == "explain" else []))
    assert not ended.stderr
    assert told in ended.stdout
    assert files(archived) == before


def test_s10_damage_is_found_where_nothing_can_be_written(archived: Path) -> None:
    told = in_the_archive(archived, "verify", archived).stdout
    assert "everything agrees" not in told, "not all of it was looked at"
    (run,) = (archived / "urls" / "runs").glob("*.run")
    run.write_bytes(run.read_bytes()[:-1] + b"?")
    ended = in_the_archive(archived, "verify", archived)
    assert ended.returncode == 1
    assert f"runs/{run.name}" in ended.stdout


def test_o1_changes_that_a_kill_left_beside_the_catalog_are_read_too(page: tuple[Path, str], tmp_path: Path) -> None:
    with closing(EmbeddedCatalog.open(page[0] / "crawl.db")) as catalog:
        catalog.apply([Frame(catalog.applied + 1, 5.0, (HostState("killed.test", 5.0, 6.0),))])
        archived = Path(shutil.copytree(page[0], tmp_path / "an archive"))
    assert (archived / "crawl.db-wal").stat().st_size
    assert "2 hosts" in in_the_archive(archived, "status", archived).stdout
    (archived / "crawl.db-shm").unlink()
    assert "copy the crawl" in in_the_archive(archived, "status", archived).stderr
