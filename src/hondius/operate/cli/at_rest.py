"""The lock of a crawl that must not run meanwhile."""

from pathlib import Path

from hondius.advice import command
from hondius.errors import DirectoryInUse
from hondius.opening import place_of
from hondius.ports import Lock


def at_rest(directory: Path, *, shared: bool = False) -> Lock:
    place = place_of(directory)
    try:
        return place.lock(shared=shared)
    except DirectoryInUse:
        owner = place.holder() or "unknown"
        raise DirectoryInUse(
            f"{directory} is in use by process {owner}, and this needs a crawl that rests: "
            f"wait for its end or stop it with Ctrl-C, and try again; {command('resume', directory)} goes on afterwards"
        ) from None
