"""Recognises a crawl directory, and reads and writes its files that belong to no store."""

import errno
import os
from contextlib import suppress
from pathlib import Path

from hondius.errors import BadDirectory
from hondius.files import CRAWL_LOG, create_file, read_file

SETTINGS_FILE = "hondius.toml"


def holds_crawl(directory: Path, advice: str) -> bool:
    """True if it holds a crawl, False if it is empty or missing. Anything else is refused before anything is
    written."""
    try:
        if not directory.exists():
            return False
        if not directory.is_dir():
            raise BadDirectory(f"{directory} is a file: choose a directory")
        if (directory / SETTINGS_FILE).is_file():
            return True
        names = {entry.name for entry in directory.iterdir()}
        if names <= {"lock", f".{SETTINGS_FILE}.new", CRAWL_LOG}:  # killed before the settings file was renamed
            return False
        if "log" in names:
            raise BadDirectory(
                f"{directory} has a log but no {SETTINGS_FILE}: put it back, or write one with the lines `format = 2`, "
                "`[identity]` and `version = 2` (`version = 1` for a crawl of a version that wrote none). All other "
                "settings are the defaults then: give scope, limits and addresses again with `hondius config`"
            )
    except PermissionError:
        raise BadDirectory(f"{directory} cannot be read: change its permissions or choose another directory") from None
    raise BadDirectory(f"{directory} holds something else than a crawl: {advice}")


def read_settings(directory: Path, most: int) -> bytes:
    path = directory / SETTINGS_FILE
    try:
        data = read_file(path, most + 1)
    except OSError as error:
        remedy = "replace it by a file" if error.errno == errno.EINVAL else "change its permissions"
        raise BadDirectory(f"{path} cannot be read ({error.strerror}): {remedy}") from None
    if len(data) > most:
        raise BadDirectory(f"{path} is larger than {most // 1024} KiB, more than settings take: restore it")
    return data


def read_note(directory: Path, name: str, most: int) -> bytes | None:
    try:
        return read_file(directory / name, most)
    except OSError:
        return None


def write_note(directory: Path, name: str, data: bytes) -> None:
    """Does not sync. On a full disk the old note stays."""
    new = directory / f".{name}.new"
    with suppress(OSError):
        with os.fdopen(create_file(new), "wb") as file:
            file.write(data)
        os.replace(new, directory / name)


def changed_at(directory: Path) -> float:
    """When a file in `log/` was last written."""
    return max((file.stat().st_mtime for file in (directory / "log").glob("*")), default=0.0)
