"""`hondius config`: the settings of a crawl, shown and changed (O1, U3)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hondius.opening import open_settings, place_of
from hondius.operate.cli import main
from hondius.settings import Settings
from tests.use.small_crawl import make_crawl

Said = Callable[..., str]


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    make_crawl(tmp_path / "crawl")
    return tmp_path / "crawl"


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """What a command says; it must end with `status`."""

    def call(*arguments: object, status: int = 0) -> str:
        ended = main.run([str(argument) for argument in arguments])
        output, errors = capsys.readouterr()
        assert ended == status, errors
        return output if status == 0 else errors

    return call


def test_o1_the_settings_of_a_crawl_are_shown_and_defaults_are_marked(crawl: Path, said: Said) -> None:
    said("config", crawl, "politeness.delay=3")
    lines = said("config", crawl).splitlines()
    assert "politeness.delay = 3.0" in lines
    assert "politeness.retries = 3  (default)" in lines
    assert "limits.max_pages = not set  (default)" in lines
    assert not any(line.startswith("limits.max_time") for line in lines)


def test_o1_the_settings_can_be_read_by_a_program_and_secrets_are_not_among_them(crawl: Path, said: Said) -> None:
    said("config", crawl, "fetch.headers=['Cookie: secret']", "scope.max_depth=2")
    shown = json.loads(said("config", crawl, "--json"))
    assert shown["scope.max_depth"] == {"value": 2, "default": None, "is_default": False}
    assert shown["stores.commit_changes"] == {"value": 1_000, "default": 1_000, "is_default": True}
    assert shown["fetch.headers"] == {"value": None, "default": [], "is_default": False, "is_hidden": True}
    assert "secret" not in said("config", crawl)
    assert (crawl / "hondius.toml").stat().st_mode & 0o777 == 0o600


def test_o1_a_setting_is_changed_as_by_set_and_the_others_stay(
    crawl: Path, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(crawl.parent)
    (crawl.parent / "names").write_text("a.test=127.0.0.1\n")
    before = open_settings(crawl)
    told = said("config", crawl, "limits.max_bytes=10MB", "fetch.resolve=['@names']", "scope.include=[]")
    assert told.splitlines() == [
        "limits.max_bytes = 10000000 (was not set)",
        f"fetch.resolve = ['@{crawl.parent}/names'] (was {list(before.fetch.resolve) or 'not set'})",
    ]
    now = open_settings(crawl)
    assert (now.limits.max_bytes, now.fetch.resolve) == (10_000_000, (f"@{crawl.parent}/names",))
    assert (now.politeness, now.scope, now.identity) == (before.politeness, before.scope, before.identity)
    assert "nothing changed" in said("config", crawl, "limits.max_bytes=10MB")


def test_o1_a_long_value_is_shown_in_part_and_says_so(crawl: Path, said: Said) -> None:
    told = said("config", crawl, f"scope.include=['{'a' * 300}']")
    assert told == f"scope.include = ['{'a' * 198}… (was not set)\n"


def test_o1_one_setting_is_shown_and_a_limit_is_removed(crawl: Path, said: Said) -> None:
    said("config", crawl, "limits.max_pages=7", "scope.sitemaps=false")
    assert said("config", crawl, "limits.max_pages", "scope.sitemaps").splitlines() == [
        "scope.sitemaps = false",
        "limits.max_pages = 7",
    ]
    assert said("config", crawl, "limits.max_pages=none") == "limits.max_pages = not set (was 7)\n"
    assert open_settings(crawl).limits.max_pages is None
    assert "--set" not in said("config", crawl, "limits.max_page=1", status=2)


def test_o1_a_section_is_shown(crawl: Path, said: Said) -> None:
    lines = said("config", crawl, "usage", "scope.sitemaps").splitlines()
    assert [line for line in lines if line.startswith("scope.")] == ["scope.sitemaps = true  (default)"]
    assert {line.partition(".")[0] for line in lines} == {"usage", "scope"}


def test_o1_settings_are_either_shown_or_changed(crawl: Path, said: Said) -> None:
    told = said("config", crawl, "limits.max_pages=3", "scope.sitemaps", status=2)
    assert "scope.sitemaps has no value: one command either shows settings or changes them" in told
    example = told.rpartition(" like ")[2].strip()
    assert "limits.max_pages = " in said("config", crawl, example)
    assert "did you mean politeness.delay?" in said("config", crawl, "politeness.dela", status=2)
    assert "holds for one run and is not saved" in said("config", crawl, "limits.max_time", status=2)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("identity.drop_www=true", "cannot change after the crawl"),
        ("identity.version=1", "cannot change after the crawl"),
        ("politeness.delay=-1", "setting politeness.delay is -1: a number from 0 to 86400 is expected"),
        ("politeness.dely=1", "did you mean politeness.delay?"),
        ("limits.max_time=1h", "holds for one run and is not saved: use `hondius resume"),
        ("scope.include=['(']", "is not a regular expression"),
        ("fetch.user_agent='/'", "does not begin with a product token"),
        ("politeness.dela", "one command either shows settings or changes them"),
    ],
)
def test_o1_what_may_not_be_changed_or_cannot_be_is_refused(
    crawl: Path, said: Said, change: str, expected: str
) -> None:
    before = (crawl / "hondius.toml").read_bytes()
    assert expected in said("config", crawl, change, "limits.max_pages=1", status=2)
    assert (crawl / "hondius.toml").read_bytes() == before


def test_o1_a_running_crawl_keeps_its_settings_and_shows_them(crawl: Path, said: Said) -> None:
    with place_of(crawl).lock():
        assert "a running crawl does not read its settings again" in said(
            "config", crawl, "limits.max_pages=1", status=2
        )
        assert "politeness.retries" in said("config", crawl)
    assert open_settings(crawl).limits.max_pages == Settings().limits.max_pages
