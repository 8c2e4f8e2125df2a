"""Locks a crawl for a command that needs it not to run."""

from pathlib import Path

from hondius.errors import DirectoryInUse
from hondius.hints import quote_command
from hondius.opening import place_of
from hondius.ports import Lock


def lock_idle_crawl(directory: Path, *, shared: bool = False) -> Lock:
    place = place_of(directory)
    try:
        return place.lock(shared=shared)
    except DirectoryInUse:
        owner = place.holder() or "unknown"
        raise DirectoryInUse(
            f"{directory} is in use by process {owner}, and this command needs a crawl that is not running: "
            f"wait until it ends or stop it with Ctrl-C, then try again; "
            f"{quote_command('resume', directory)} continues it afterwards"
        ) from None
