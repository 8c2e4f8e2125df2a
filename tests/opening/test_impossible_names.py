"""Names that no directory can have."""

from pathlib import Path

import pytest

from hondius.errors import BadDirectory
from hondius.opening import open_crawl
from hondius.operate.cli import main


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_a_name_that_no_directory_can_have_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadDirectory, match="is no name of a directory"), open_crawl(tmp_path / name):
        pass


@pytest.mark.parametrize("command", ["status", "export"])
def test_a_command_with_such_a_name_is_wrong_use(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run([command, str(tmp_path / ("x" * 300))]) == 2
    assert "is no name of a directory (File name too long): choose a shorter one" in capsys.readouterr().err
