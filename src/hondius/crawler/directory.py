"""The settings of a crawl: those that it has, and those that a run gives it."""

from typing import Any

from hondius.advice import command
from hondius.errors import BadDirectory, BadSetting
from hondius.ports import Place
from hondius.settings import Settings, as_values, merged, read_back, settings_from
from hondius.settings_text import settings_file

LARGEST_SETTINGS = 128 * 1024
"""Bytes. The time to parse TOML can grow with the square of its size: this much takes up to five seconds."""


def existing(place: Place) -> bool:
    """True: a crawl of ours. False: nothing is there yet. Anything else is refused, before anything is written."""
    return place.exists("choose an empty or new directory")


def open_settings(place: Place) -> Settings:
    """The settings of a crawl that must exist."""
    elsewhere = command("crawl", "URL", "--into", f"{place.name}/NEW")
    if not place.exists(f"name the directory of one, or start one with {elsewhere}"):
        raise BadDirectory(
            f"{place.name} holds no crawl: start one with {command('crawl', 'URL', '--into', place.name)}"
        )
    return read_back(place.read_settings(LARGEST_SETTINGS), f"{place.name}/hondius.toml")


def settled(place: Place, wishes: dict[str, Any]) -> Settings:
    """The settings of this run: those of the crawl, if there is one, with the wishes laid over them.

    The switches of identity and their version are frozen: with others, the keys of all known URLs would be wrong (U3).
    """
    if not existing(place):
        return settings_from(wishes)
    before = open_settings(place)
    settings = settings_from(merged(as_values(before), wishes))
    if settings.identity != before.identity:
        raise BadSetting(
            f"the identity switches and version of {place.name} were frozen when it was made: "
            "leave them, or choose another place"
        )
    return settings


def write_settings(place: Place, settings: Settings) -> None:
    text = settings_file(settings)
    if len(text) > LARGEST_SETTINGS:
        raise BadSetting(
            f"the settings take more than {LARGEST_SETTINGS // 1024} KiB: write fewer patterns, or a file for --resolve"
        )
    place.write_settings(text, are_secret=bool(settings.fetch.headers or settings.fetch.proxies))
