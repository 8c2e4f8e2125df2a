"""What `status` tells of a crawl that was killed (O1, F5)."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from hondius.crawler.crawl_settings import write_settings
from hondius.opening import place_of
from hondius.operate.cli import main
from hondius.session.queue import FILE, LARGEST, Queue, write_queue
from hondius.settings import Settings, StoreSettings
from tests.use.small_crawl import QUEUED, make_crawl
from tests.use.worlds import WORLDS, new_place

AT_THE_START = Queue(1.0, 0, 0, 0, 0, 0, None, 0, {})


@pytest.fixture(params=WORLDS)
def killed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Its log goes on after what it wrote down of its queue, and tells of no end."""
    with new_place(request.param, tmp_path) as name:
        make_crawl(name)
        write_queue(place_of(name), AT_THE_START)
        yield name


def test_o1_f5_the_queue_of_a_killed_crawl_is_counted_anew(killed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["status", str(killed)]) == 0
    told = capsys.readouterr().out
    assert "killed" in told
    assert f"{len(QUEUED)} URLs waited on 1 host" in told
    written = place_of(killed).read_note(FILE, LARGEST)
    assert main.run(["status", str(killed), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["queue"]["urls"] == len(QUEUED)
    assert place_of(killed).read_note(FILE, LARGEST) == written, "it is counted once"


def test_o1_what_a_crawl_wrote_down_is_shown_while_another_has_it(
    killed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with place_of(killed).lock():
        assert main.run(["status", str(killed), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["queue"]["urls"] == 0


def test_o1_s5_a_running_crawl_without_room_is_said_to_wait(killed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It cannot write that down: `status` looks at the disk itself. Nor may there be room for its number."""
    wanted = Settings(stores=StoreSettings(free_bytes=2**63))
    write_settings(place_of(killed), wanted)
    with place_of(killed).lock():
        if (killed / "lock").exists():
            (killed / "lock").write_bytes(b"")
        assert main.run(["status", str(killed)]) == 0
        process = "" if (killed / "lock").exists() else f" (process {os.getpid()})"
        assert f"{killed}: running{process}; paused: the disk is full" in capsys.readouterr().out
        assert main.run(["status", str(killed), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["no_room"] is True
    assert main.run(["status", str(killed)]) == 0
    assert "no room" not in capsys.readouterr().out


def test_r2_what_is_due_and_what_the_plan_achieves_are_shown(killed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = {"visits_per_day": 500, "planned": 500, "pages": 1_000, "freshness": 0.82, "top_pages": 10, "shortfall": 7}
    write_queue(place_of(killed), msgspec.structs.replace(AT_THE_START, plan=plan))
    with place_of(killed).lock():
        assert main.run(["status", str(killed), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)["recrawl"]
        assert told == {"due": 0, "next_at": None, "plan": plan}
        assert main.run(["status", str(killed)]) == 0
        shown = capsys.readouterr().out
    assert "the budget of 500 visits a day keeps an expected 82% of 1,000 pages fresh" in shown
    assert "7 are missing for the target of the top pages" in shown
