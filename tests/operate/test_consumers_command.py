"""O2: `hondius consumers`, in every world."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import hondius
from hondius.operate.cli import main
from tests.use.small_crawl import make_crawl
from tests.use.worlds import DIRECTORY, WORLDS, new_place


@pytest.fixture(params=WORLDS)
def crawl(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    with new_place(request.param, tmp_path) as name:
        make_crawl(name)
        yield name


def test_o2_consumers_are_listed_and_removed(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["consumers", str(crawl)]) == 0
    out, err = capsys.readouterr()
    assert (out, "has no named consumers" in err) == ("", True)
    with hondius.open(crawl) as opened:
        assert list(opened.pages(consumer="all"))
        for _ in opened.pages(consumer="some"):
            break
        for page in opened.pages(consumer="two"):
            if page.url.endswith("/copy"):
                break
    assert main.run(["consumers", str(crawl)]) == 0
    lines = dict(line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert lines["all"] == "has read everything"
    assert lines["two"].endswith("behind")
    assert main.run(["consumers", str(crawl), "--json"]) == 0
    listed = {row["name"]: row["frames_behind"] for row in json.loads(capsys.readouterr().out)["consumers"]}
    assert listed["all"] == 0 < listed["two"]
    assert main.run(["consumers", str(crawl), "--remove", "all"]) == 0
    assert main.run(["consumers", str(crawl), "--remove", "all"]) == 2
    assert "no consumer all; it has: " in capsys.readouterr().err
    with hondius.open(crawl) as opened:
        assert list(opened.pages(consumer="all"))


def test_o2_a_damaged_cursor_is_listed_and_can_be_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with new_place(DIRECTORY, tmp_path) as crawl:
        make_crawl(crawl)
        (crawl / "consumers").mkdir()
        (crawl / "consumers" / "old.json").write_bytes(b"\xff")
        assert main.run(["consumers", str(crawl)]) == 0
        assert capsys.readouterr().out == "old\tdamaged\n"
        assert main.run(["consumers", str(crawl), "--remove", "old"]) == 0
        assert main.run(["consumers", str(crawl), "--remove", "../lock"]) == 2
