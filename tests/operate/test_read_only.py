"""An archived crawl: what only reads works where nothing can be written, and leaves every file as it is."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.use.small_crawl import SmallCrawl, copy_as_killed

SHUT = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && ! touch "$1"/probe 2>/dev/null && shift && exec "$@"'

QUERY = "SELECT state FROM pages"


def in_the_archive(directory: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs a command where the directory is mounted read-only, for root too."""
    shut = ["unshare", "--map-root-user", "--mount", "sh", "-c", SHUT, "sh", str(directory)]
    if shutil.which("unshare") is None or subprocess.run([*shut, "true"], capture_output=True).returncode:
        pytest.skip("no directory can be mounted read-only: that needs unshare (util-linux) and mount namespaces")
    command = [sys.executable, "-m", "hondius", *map(str, arguments)]
    return subprocess.run([*shut, *command], capture_output=True, text=True, timeout=60)


def files(directory: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in directory.rglob("*")}


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("status", "1 host"),
        ("verify", "not checked: whether urls/ agrees with the log"),
        ("explain", "it ended: completed"),
        ("audit", "audited in"),
        ("export", '"state":"completed"'),
        ("sql", "completed"),
    ],
)
def test_o1_a_crawl_that_cannot_be_written_can_be_read(
    crawl: Path, small_crawl: SmallCrawl, command: str, told: str
) -> None:
    before = files(crawl)
    ended = in_the_archive(crawl, command, crawl, *{"explain": [small_crawl.page], "sql": [QUERY]}.get(command, []))
    assert not ended.stderr
    assert told in ended.stdout
    assert files(crawl) == before


def test_s10_damage_is_found_where_nothing_can_be_written(crawl: Path) -> None:
    told = in_the_archive(crawl, "verify", crawl).stdout
    assert "everything agrees" not in told, "not all of it was looked at"
    (run,) = (crawl / "urls" / "runs").glob("*.run")
    run.write_bytes(run.read_bytes()[:-1] + b"?")
    ended = in_the_archive(crawl, "verify", crawl)
    assert ended.returncode == 1
    assert f"runs/{run.name}" in ended.stdout


def test_o1_changes_that_a_kill_left_beside_the_catalog_are_read_too(crawl: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    copy_as_killed(crawl, killed)
    assert "2 hosts" in in_the_archive(killed, "status", killed).stdout
    (killed / "crawl.db-shm").unlink()
    assert "copy the crawl" in in_the_archive(killed, "status", killed).stderr
