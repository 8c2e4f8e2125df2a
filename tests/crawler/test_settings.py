"""Settings: one door, one wording, and back from the file as they were."""

import pytest

from hondius.errors import BadDirectory, BadSetting
from hondius.settings import Settings, as_values, merged, read_back, settings_from, written_out


def test_settings_come_back_from_their_file_as_they_were() -> None:
    settings = settings_from({"limits": {"max_pages": 7}, "scope": {"scope": "any", "exclude": ["/private/"]}})
    assert read_back(written_out(settings), "hondius.toml") == settings


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        ("fetch", "concurrency", 0),
        ("politeness", "delay", -1.0),
        ("scope", "scope", "galaxy"),
        ("limits", "max_pages", 0),
    ],
)
def test_a_setting_out_of_range_is_named(section: str, name: str, value: object) -> None:
    with pytest.raises(BadSetting, match=f"{section}.{name}"):
        settings_from({section: {name: value}})


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(BadSetting, match="no setting `speed` in fetch"):
        settings_from({"fetch": {"speed": 11}})


def test_a_newer_format_is_refused_with_what_to_do() -> None:
    with pytest.raises(BadDirectory, match="upgrade"):
        read_back(b"format = 999\n", "hondius.toml")


def test_wishes_are_laid_over_the_settings_of_the_crawl() -> None:
    before = as_values(settings_from({"limits": {"max_pages": 7}}))
    after = settings_from(merged(before, {"limits": {"max_pages": 9}, "fetch": {"contact": "a@b.test"}}))
    assert (after.limits.max_pages, after.fetch.contact) == (9, "a@b.test")
    assert after.scope == Settings().scope


def test_p1_a_crawl_that_was_made_with_a_setting_which_is_no_more_can_still_be_opened() -> None:
    written = written_out(Settings()).replace(b"[politeness]\n", b"[politeness]\ncrawl_delay_cap = 10.0\n")
    assert b"crawl_delay_cap" in written
    assert read_back(written, "hondius.toml") == Settings()
    with pytest.raises(BadSetting, match=r"no setting politeness\.crawl_delay_cap any more: a Crawl-delay is kept"):
        settings_from({"politeness": {"crawl_delay_cap": 10.0}})
