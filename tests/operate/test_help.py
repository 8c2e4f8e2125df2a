"""What `--help` prints."""

import re

import pytest
import typer

from hondius.operate.cli.main import COMMANDS, make_app, run

BRACKETS = re.compile(r"\[[^\]]*\]")


@pytest.mark.parametrize("name", COMMANDS)
def test_brackets_of_help_texts_are_printed(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    command = typer.main.get_command(make_app([name])).commands[name]  # type: ignore[attr-defined]
    texts = [command.help or "", *(parameter.help or "" for parameter in command.params)]
    wanted = [brackets for text in texts for brackets in BRACKETS.findall(text)]
    assert run([name, "--help"]) == 0
    printed = "".join(capsys.readouterr().out.replace("│", "").split())
    assert [one for one in wanted if "".join(one.split()) not in printed] == []


@pytest.mark.parametrize("name", ["search", "sql"])
def test_help_names_the_extra_that_a_command_needs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    run([name, "--help"])
    assert f"pipinstall'hondius[{name}]'" in "".join(capsys.readouterr().out.replace("│", "").split())
    run(["--help"])
    assert "[/" not in capsys.readouterr().out
