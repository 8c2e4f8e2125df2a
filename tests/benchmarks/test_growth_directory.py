"""`make growth DIRECTORY=new` makes the directory."""

import sys
from pathlib import Path

import pytest
from benchmarks.growth import __main__ as growth
from benchmarks.growth.bars import Row


def test_a_directory_that_is_not_there_yet_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["growth", "--directory", str(tmp_path / "not" / "yet")])
    grown_in: list[Path] = []

    def grown(directory: Path, milestones: list[int], hosts: int) -> list[Row]:
        grown_in.append(directory)
        raise KeyboardInterrupt

    monkeypatch.setattr(growth, "grown", grown)
    with pytest.raises(KeyboardInterrupt):
        growth.main()
    assert grown_in[0].parent == tmp_path / "not" / "yet"
