"""What `status` tells of a crawl that was killed (O1, F5)."""

import json
from pathlib import Path

import pytest

from hondius.operate.cli import main
from hondius.operate.cli.queue import FILE, Queue, write_down
from hondius.settings import Settings, StoreSettings
from hondius.settings_text import settings_file
from hondius.stores.disk.lock import DirectoryLock
from tests.use.small_crawl import QUEUED, make_crawl

AT_THE_START = Queue(1.0, 0, 0, 0, 0, 0, None, 0, {})


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """Its log goes on after what it wrote down of its queue, and tells of no end."""
    make_crawl(tmp_path)
    write_down(tmp_path, AT_THE_START)
    return tmp_path


def test_o1_f5_the_queue_of_a_killed_crawl_is_counted_anew(killed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["status", str(killed)]) == 0
    told = capsys.readouterr().out
    assert "killed" in told
    assert f"{len(QUEUED)} URLs waited on 1 host" in told
    written = (killed / FILE).read_bytes()
    assert main.run(["status", str(killed), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["queue"]["urls"] == len(QUEUED)
    assert (killed / FILE).read_bytes() == written, "it is counted once"


def test_o1_what_a_crawl_wrote_down_is_shown_while_another_has_it(
    killed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with DirectoryLock(killed):
        assert main.run(["status", str(killed), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["queue"]["urls"] == 0


def test_o1_s5_a_running_crawl_without_room_is_said_to_wait(killed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It cannot write that down: `status` looks at the disk itself. Nor may there be room for its number."""
    wanted = Settings(stores=StoreSettings(free_bytes=2**60))
    (killed / "hondius.toml").write_bytes(settings_file(wanted))
    with DirectoryLock(killed):
        (killed / "lock").write_bytes(b"")
        assert main.run(["status", str(killed)]) == 0
        assert f"{killed}: running; paused: no room left" in capsys.readouterr().out
        assert main.run(["status", str(killed), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["no_room"] is True
    assert main.run(["status", str(killed)]) == 0
    assert "no room" not in capsys.readouterr().out
