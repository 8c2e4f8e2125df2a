"""Settings: one door, one wording, and back from the file as they were."""

from pathlib import Path

import pytest

from hondius.errors import BadDirectory, BadSetting
from hondius.settings import Settings, make_settings, merge_values, read_settings, to_values
from hondius.settings.listing import list_sections, read_descriptions
from hondius.settings_text import format_settings_file, format_settings_page


def test_settings_come_back_from_their_file_as_they_were() -> None:
    settings = make_settings({"limits": {"max_pages": 7}, "scope": {"scope": "any", "exclude": ["/private/"]}})
    assert read_settings(format_settings_file(settings), "hondius.toml") == settings


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
        make_settings({section: {name: value}})


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(BadSetting, match="no setting `speed` in fetch"):
        make_settings({"fetch": {"speed": 11}})


def test_a_newer_format_is_refused_with_what_to_do() -> None:
    with pytest.raises(BadDirectory, match="upgrade"):
        read_settings(b"format = 999\n", "hondius.toml")


def test_wishes_are_laid_over_the_settings_of_the_crawl() -> None:
    before = to_values(make_settings({"limits": {"max_pages": 7}}))
    after = make_settings(merge_values(before, {"limits": {"max_pages": 9}, "fetch": {"contact": "a@b.test"}}))
    assert (after.limits.max_pages, after.fetch.contact) == (9, "a@b.test")
    assert after.scope == Settings().scope


def test_p1_a_crawl_that_was_made_with_a_setting_which_is_no_more_can_still_be_opened() -> None:
    written = format_settings_file(Settings()).replace(b"[politeness]\n", b"[politeness]\ncrawl_delay_cap = 10.0\n")
    assert b"crawl_delay_cap" in written
    assert read_settings(written, "hondius.toml") == Settings()
    with pytest.raises(
        BadSetting, match=r"no setting politeness\.crawl_delay_cap any more: the Crawl-delay of a site is always"
    ):
        make_settings({"politeness": {"crawl_delay_cap": 10.0}})


OLD = b"""format = 1
frozen_identity = ["drop_session", "drop_tracking", "sort_query"]
[identity]
sort_query = true
drop_tracking = true
drop_session = true
drop_index = false
drop_trailing_slash = false
drop_www = false
[fetch]
max_links = 10000
"""


def test_u3_a_crawl_without_a_version_of_identity_has_the_first_and_keeps_it() -> None:
    settings = read_settings(OLD, "hondius.toml")
    assert settings.identity.version == 1
    assert read_settings(format_settings_file(settings), "hondius.toml") == settings
    assert Settings().identity.version == 2
    new = format_settings_file(Settings())
    with pytest.raises(BadSetting, match="cannot change"):
        read_settings(new.replace(b"version = 2", b"version = 1"), "hondius.toml")
    with pytest.raises(BadSetting, match="cannot change"):
        read_settings(new.replace(b"\nversion = 2", b""), "hondius.toml")


def test_d3_the_links_read_of_a_page_follow_from_its_length() -> None:
    assert Settings().fetch.max_links == 10 * 2**20 // 32
    assert make_settings({"fetch": {"page_cap": 1024}}).fetch.max_links == 10_000


def test_d7_media_and_scripts_let_their_types_and_extensions_through() -> None:
    plain, media = Settings().scope, make_settings({"scope": {"media": True, "scripts": True}}).scope
    assert {"pdf", "png", "js", "zip"} <= set(plain.skipped_extensions())
    assert {"pdf", "png", "js", "zip"} & set(media.skipped_extensions()) == {"zip"}
    for kind in ("image/png", "application/pdf", "text/javascript"):
        assert (kind in plain.wanted_types(), kind in media.wanted_types()) == (False, True)
    assert "text/html" in media.wanted_types()
    assert "application/zip" not in media.wanted_types()
    own = make_settings({"scope": {"media": True, "skip_extensions": ["pdf"], "content_types": ["text/html"]}}).scope
    assert (own.skipped_extensions(), set(own.wanted_types())) == (("pdf",), {"text/html"})


def test_o1_the_file_of_settings_says_what_each_means_and_is_read_back_as_it_was() -> None:
    chosen = make_settings({"scope": {"include": ['a "quoted"  text', "b\\d"], "max_depth": 3}})
    written = format_settings_file(chosen)
    assert read_settings(written, "hondius.toml") == chosen
    lines = written.decode().splitlines()
    assert lines[lines.index("max_depth = 3") - 1].startswith("# ")
    assert "# max_pages =" in lines


def test_o1_every_setting_says_what_it_means() -> None:
    for name, section in list_sections():
        texts = read_descriptions()[name]
        assert texts[""], name
        silent = [field for field in section.__struct_fields__ if not texts.get(field)]
        assert not silent, (name, silent)


def test_o1_the_page_of_settings_is_that_of_the_code() -> None:
    page = Path(__file__).parents[2] / "docs" / "settings.md"
    assert page.read_text() == format_settings_page(), "run `make settings-page`"
