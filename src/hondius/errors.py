"""Everything that Hondius raises, as one tree.

    HondiusError                    one line for the user, and an exit status
    ├── WrongUse                    2: a seed, an option, a setting: nothing was written
    │   ├── BadSetting
    │   ├── BadSeed
    │   └── BadDirectory            unwritable, holds something else, a newer format
    ├── DirectoryInUse              2: another process has this crawl open
    ├── Broken                      1: what is on disk is not what was written; `hondius verify`, `rebuild`
    │   ├── BrokenLog
    │   └── BrokenView              rebuild makes it anew
    └── DiskFull                    the crawl pauses and goes on when there is room; never ends it

What happens to a *URL* is never an exception: it is a `Cause` of `crawler/politeness/failures.py`.
"""


class HondiusError(Exception):
    """The message is shown to the user as it is: it says what to do."""

    exit_status = 1


class WrongUse(HondiusError):
    exit_status = 2


class BadSetting(WrongUse):
    pass


class BadSeed(WrongUse):
    pass


class BadDirectory(WrongUse):
    pass


class DirectoryInUse(WrongUse):
    pass


class Broken(HondiusError):
    pass


class BrokenLog(Broken):
    pass


class BrokenView(Broken):
    pass


class DiskFull(HondiusError):
    pass
