"""`--set SECTION.NAME=VALUE` reaches every setting, through the door of all settings (O1, U3)."""

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields

from hondius.crawler.store_opening import open_stores
from hondius.errors import BadSetting
from hondius.opening import open_settings, place_of
from hondius.operate.cli import crawl, main
from hondius.operate.cli.set_option import parse_assignments
from hondius.settings import Settings, make_settings, merge_values, to_values
from hondius.settings.listing import list_settings, read_descriptions
from hondius.settings.overrides import collect_overrides
from hondius.settings_text import format_settings_file


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("identity.drop_www=true", True),
        ("limits.max_pages=1_000", 1000),
        ("politeness.delay = 2.5", 2.5),
        ("scope.scope=any", "any"),
        ("fetch.contact=you@example.com", "you@example.com"),
        ('fetch.contact="42"', "42"),
        ("fetch.contact=2026-01-01", "2026-01-01"),
        ("fetch.user_agent=A=B", "A=B"),
        ("fetch.user_agent=1\ncontact = 2", "1\ncontact = 2"),
        ("fetch.user_agent=", ""),
        (f"fetch.user_agent={'1' * 5_000}", "1" * 5_000),
        ("scope.include=['/a/', '/b/']", ["/a/", "/b/"]),
    ],
)
def test_a_value_is_toml_and_what_is_not_is_text(text: str, value: object) -> None:
    section, _, name = text.partition("=")[0].strip().partition(".")
    assert parse_assignments([text]) == {section: {name: value}}


def test_every_setting_can_be_named() -> None:
    usual = to_values(Settings())
    for section in fields(Settings):
        for setting in fields(section.type):
            assert parse_assignments([f"{section.name}.{setting.name}=1"]) == {section.name: {setting.name: 1}}
            assert setting.name in usual[section.name]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("identity.drop_ww=true", "did you mean identity.drop_www?"),
        ("drop_www=true", "did you mean identity.drop_www?"),
        ("scope.drop_www=true", "did you mean identity.drop_www?"),
        ("politness.dely=1", "did you mean politeness.delay?"),
        ("zzz=1", "sections are identity, scope"),
        ("politeness.nope=1", ": politeness has delay"),
        ("nope.x=1", "sections are identity, scope"),
        ("identity.zzz=1", "identity has sort_query, drop_tracking"),
        ("identity.drop_www", "write it like"),
    ],
)
def test_an_unknown_name_is_refused_with_the_closest_known_one(text: str, advice: str) -> None:
    with pytest.raises(BadSetting) as caught:
        parse_assignments([text])
    assert advice in str(caught.value)


def test_the_last_of_two_values_wins_and_a_setting_by_name_wins_over_its_option() -> None:
    named = parse_assignments(["politeness.delay=2", "politeness.delay=3"])
    given = collect_overrides({list_settings()["politeness.delay"]: 9.0}, named)
    assert given["politeness"] == {"delay": 3}


def test_files_named_by_a_setting_are_found_again_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = collect_overrides(
        {}, parse_assignments(["fetch.ca_file=ca.pem", "fetch.resolve=['@names.txt', 'a.test=127.0.0.1']"])
    )
    assert given["fetch"] == {
        "ca_file": f"{tmp_path}/ca.pem",
        "resolve": [f"@{tmp_path}/names.txt", "a.test=127.0.0.1"],
    }


def test_a_setting_out_of_range_is_named_as_anywhere_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text, named in [("fetch.concurrency=0", "fetch.concurrency"), ("scope.include=/a/", "scope.include")]:
        assert main.run(["crawl", "http://a.test/", "--into", str(tmp_path / "crawl"), "--set", text]) == 2
        assert named in capsys.readouterr().err
    assert not (tmp_path / "crawl").exists()


def test_u3_identity_is_chosen_when_a_crawl_is_made_and_refused_when_it_differs_on_resume(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing answers at the address: the crawl ends at once, with its settings written."""
    directory = tmp_path / "crawl"
    start = ["crawl", "http://a.test/", "--into", str(directory), "--delay", "0", "--json"]
    start += ["--resolve", "*.test=127.0.0.1:9", "--max-time", "1", "--set", "identity.drop_www=true"]
    assert main.run(start) == 1
    assert open_settings(directory).identity.drop_www
    assert main.run(["resume", str(directory), "--json", "--set", "identity.drop_www=true"]) == 1
    before = (directory / "hondius.toml").read_bytes()
    capsys.readouterr()
    assert main.run(["resume", str(directory), "--json", "--set", "identity.drop_www=false"]) == 2
    assert "cannot change" in capsys.readouterr().err
    assert (directory / "hondius.toml").read_bytes() == before


def test_settings_chosen_by_name_survive_the_file() -> None:
    settings = make_settings(merge_values({}, parse_assignments(["identity.drop_www=true", "stores.commit_changes=7"])))
    assert b"drop_www = true" in format_settings_file(settings)
    assert b"commit_changes = 7" in format_settings_file(settings)


@pytest.mark.parametrize(
    ("setting", "mode"), [("fetch.contact=you@example.com", 0o640), ("fetch.headers=['Cookie: secret']", 0o600)]
)
def test_q2_only_a_settings_file_with_secrets_is_for_its_owner_alone(tmp_path: Path, setting: str, mode: int) -> None:
    before = os.umask(0o027)
    try:
        with ExitStack() as stack:
            open_stores(stack, place_of(tmp_path), make_settings(parse_assignments([setting])))
    finally:
        os.umask(before)
    assert (tmp_path / "hondius.toml").stat().st_mode & 0o777 == mode


def test_o1_the_options_of_a_crawl_are_those_that_its_settings_declare(monkeypatch: pytest.MonkeyPatch) -> None:
    """The help of an option is the text beside its setting: it is written nowhere else."""
    monkeypatch.setenv("COLUMNS", "300")
    for command in ("crawl", "resume"):
        ended = subprocess.run(
            [sys.executable, "-m", "hondius", command, "--help"], capture_output=True, text=True, check=True, timeout=60
        )
        shown = " ".join(ended.stdout.replace("│", " ").split())
        for setting in list_settings().values():
            if setting.option is not None:
                assert f" {setting.option.name} " in shown, setting.full_name
                assert read_descriptions()[setting.section][setting.name] in shown, setting.full_name
        assert ("Default: 1.0." in shown) == (command == "crawl")


def test_o1_a_size_and_a_duration_are_read_with_their_units_wherever_they_are_given() -> None:
    by_option = collect_overrides(
        {list_settings()["limits.max_bytes"]: "10MB", list_settings()["limits.max_time"]: "2m"}, {}
    )
    assert by_option == {"limits": {"max_bytes": 10_000_000, "max_time": 120.0}}
    assert parse_assignments(["limits.max_bytes=10MB", "limits.max_time=2m"]) == by_option
    with pytest.raises(BadSetting, match=r"--set limits\.max_bytes 'much' is not understood"):
        parse_assignments(["limits.max_bytes=much"])


def test_o1_every_option_reaches_its_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "--scope": "any", "--include": "/a/", "--exclude": "/b/", "--max-depth": "3", "--max-pages-per-host": "4",
        "--max-pages": "5", "--max-bytes": "6KB", "--max-time": "7s", "--delay": "8", "--concurrency": "9",
        "--user-agent": "Bot/1", "--contact": "a@b.test", "--header": "A: b", "--proxy": "http://p.test:1",
        "--resolve": "*.test=127.0.0.1", "--ca-file": "/ca.pem", "--allow-private": "10.0.0.0/8",
        "--resolver": "192.0.2.1", "--source-address": "192.0.2.2", "--hook": "price", "--on-hook-error": "stop",
        "--opensearch": "http://127.0.0.1:9200", "--focus": "maps=2,atlas", "--focus-threshold": "0.3",
        "--body-days": "90", "--visits-per-day": "500", "--page-class": "news /offers/",
        "--webhook": "https://a.test/hook",
    }  # fmt: skip
    switches = ["--media", "--requisites", "--scripts", "--search", "--continuous"]
    seen: list[dict[str, Any]] = []
    monkeypatch.setattr(crawl, "launch_crawl", lambda directory, overrides, *_, **__: seen.append(overrides))
    words = [word for pair in given.items() for word in pair]
    assert main.run(["crawl", "http://a.test/", "--into", str(tmp_path / "crawl"), *words, *switches]) == 0
    settings = make_settings(seen[0])
    options = {setting.option.name for setting in list_settings().values() if setting.option is not None}
    assert options == {*given, *switches}
    for setting in list_settings().values():
        if setting.option is not None:
            assert getattr(getattr(settings, setting.section), setting.name) != setting.default, setting.full_name
