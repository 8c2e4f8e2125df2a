"""A crawl directory: is it one, is it new, and what does its `hondius.toml` say."""

import errno
from pathlib import Path
from typing import Any

from hondius.advice import command
from hondius.errors import BadDirectory, BadSetting
from hondius.files import read_file
from hondius.settings import Settings, as_values, merged, read_back, settings_from

SETTINGS_FILE = "hondius.toml"
LARGEST_SETTINGS = 128 * 1024
"""Bytes. The time to parse TOML can grow with the square of its size: this much takes up to five seconds."""
CRAWL_LOG = "crawl.log"
"""What the runs met, for people; older ones beside it as `crawl.log.1` and so on."""


def existing(directory: Path, advice: str = "choose an empty or new directory") -> bool:
    """True: a crawl of ours. False: nothing is there yet. Anything else is refused, before anything is written."""
    try:
        if not directory.exists():
            return False
        if not directory.is_dir():
            raise BadDirectory(f"{directory} is a file: choose a directory")
        if (directory / SETTINGS_FILE).is_file():
            return True
        names = {entry.name for entry in directory.iterdir()}
        if names <= {"lock", f".{SETTINGS_FILE}.new", CRAWL_LOG}:  # killed before its settings had their name
            return False
        if "log" in names:
            raise BadDirectory(
                f"{directory} has a log but no {SETTINGS_FILE}: put it back "
                "(one with the line `format = 1` gives the default settings)"
            )
    except PermissionError:
        raise BadDirectory(f"{directory} cannot be read: change its permissions or choose another directory") from None
    raise BadDirectory(f"{directory} holds something else than a crawl: {advice}")


def open_settings(directory: Path) -> Settings:
    """The settings of a crawl that must exist."""
    elsewhere = command("crawl", "URL", "--into", directory / "NEW")
    if not existing(directory, f"name the directory of one, or start one with {elsewhere}"):
        raise BadDirectory(f"{directory} holds no crawl: start one with {command('crawl', 'URL', '--into', directory)}")
    path = directory / SETTINGS_FILE
    try:
        data = read_file(path, LARGEST_SETTINGS + 1)
    except OSError as error:
        remedy = "replace it by a file" if error.errno == errno.EINVAL else "change its permissions"
        raise BadDirectory(f"{path} cannot be read ({error.strerror}): {remedy}") from None
    if len(data) > LARGEST_SETTINGS:
        raise BadDirectory(f"{path} is larger than {LARGEST_SETTINGS // 1024} KiB, more than settings take: restore it")
    return read_back(data, str(path))


def settled(directory: Path, wishes: dict[str, Any]) -> Settings:
    """The settings of this run: those of the crawl, if there is one, with the wishes laid over them.

    The switches of identity and their version are frozen: with others, the keys of all known URLs would be wrong (U3).
    """
    if not existing(directory):
        return settings_from(wishes)
    before = open_settings(directory)
    settings = settings_from(merged(as_values(before), wishes))
    if settings.identity != before.identity:
        raise BadSetting(
            f"the identity switches and version of {directory} were frozen when it was made: "
            "leave them, or choose another place"
        )
    return settings
