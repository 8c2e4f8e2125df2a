"""The lock of a crawl that must not run meanwhile."""

from pathlib import Path

from hondius.advice import command
from hondius.errors import DirectoryInUse
from hondius.stores.disk.lock import DirectoryLock, holder


def at_rest(directory: Path, *, shared: bool = False) -> DirectoryLock:
    try:
        return DirectoryLock(directory, shared=shared)
    except DirectoryInUse:
        owner = holder(directory) or "unknown"
        raise DirectoryInUse(
            f"{directory} is in use by process {owner}, and this needs a crawl that rests: "
            f"wait for its end or stop it with Ctrl-C, and try again; {command('resume', directory)} goes on afterwards"
        ) from None
