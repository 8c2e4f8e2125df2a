"""Reads and writes the settings of a crawl at its place, and combines them with those of a command. `settings/`
declares them."""

from typing import Any

from hondius.errors import BadDirectory, BadSetting
from hondius.hints import quote_command
from hondius.ports import Place
from hondius.settings import FROZEN, Settings, make_settings, merge_values, read_settings, to_values
from hondius.settings_text import format_settings_file

LARGEST_SETTINGS = 128 * 1024
"""Bytes. Parsing TOML can take time quadratic in its size: this much takes up to five seconds."""


def crawl_exists(place: Place) -> bool:
    """False if nothing is there yet. Raises BadDirectory, before anything is written, if something else is there."""
    return place.exists("choose an empty or new directory")


def open_settings(place: Place) -> Settings:
    """The settings of a crawl that must exist."""
    elsewhere = quote_command("crawl", "URL", "--into", f"{place.name}/NEW")
    if not place.exists(f"name the directory of one, or start one with {elsewhere}"):
        raise BadDirectory(
            f"{place.name} holds no crawl: start one with {quote_command('crawl', 'URL', '--into', place.name)}"
        )
    data = place.read_settings(LARGEST_SETTINGS)
    settings = read_settings(data, f"{place.name}/hondius.toml")
    if FROZEN.encode() not in data:
        _check_identity(place, settings)
    return settings


def _check_identity(place: Place, settings: Settings) -> None:
    """Imported here: a settings file that Hondius wrote needs no check."""
    from hondius.crawler.identity_check import check_identity

    check_identity(place, settings)


def resolve_settings(place: Place, overrides: dict[str, Any]) -> Settings:
    """The settings of this run: those of the crawl, if it exists, replaced by `overrides` where given.

    The identity settings are frozen: a change would make the keys of all known URLs wrong (U3).
    """
    if not crawl_exists(place):
        return make_settings(overrides)
    before = open_settings(place)
    settings = make_settings(merge_values(to_values(before), overrides))
    if settings.identity != before.identity:
        raise BadSetting(
            f"the settings of [identity] are frozen, they cannot change after the crawl {place.name} was created: "
            "leave them out, or choose another place"
        )
    return settings


def write_settings(place: Place, settings: Settings) -> None:
    text = format_settings_file(settings)
    if len(text) > LARGEST_SETTINGS:
        raise BadSetting(
            f"the settings take more than {LARGEST_SETTINGS // 1024} KiB: write fewer patterns, or a file for --resolve"
        )
    place.write_settings(text, are_secret=bool(settings.fetch.headers or settings.fetch.proxies))
