"""Everything that Hondius raises, as one tree.

    HondiusError                    one line for the user, and an exit status
    ├── WrongUse                    2: a seed, an option, a setting: nothing was written
    │   ├── BadSetting
    │   ├── BadSeed
    │   └── BadDirectory            unwritable, holds something else, a newer format
    ├── DirectoryInUse              2: another process has this crawl open
    ├── Broken                      1: what is on disk is not what was written; `hondius verify`, `rebuild`
    │   ├── BrokenLog
    │   └── BrokenView              made anew from the log: by `crawl` and `resume` themselves, else by `rebuild`
    │       └── HaltedView          whole, but takes no writes until it is opened again; the crawl does that itself
    └── DiskFull                    a crawl pauses and goes on when there is room; it never ends one

What happens to a *URL* is never an exception: it is a `Cause` of `crawler/politeness/failures.py`. Any other exception
is a bug (`is_internal`): that of one URL or host is its own alone (`crawler/boundary.py`).
"""

from asyncio import CancelledError
from pathlib import Path

from hondius.hints import quote_command
from hondius.native import Fetched, NativeError, PanicException


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
    """`reason` is said of the view, whose path comes before it; the crawl itself knows its views by name alone."""

    def __init__(self, view: Path, reason: str) -> None:
        super().__init__(f"{view} {reason}; run {quote_command('rebuild', view.parent)}")
        self.view = view
        self.reason = reason


class HaltedView(BrokenView):
    pass


class DiskFull(HondiusError):
    pass


class CalledOff(CancelledError):
    """A request was called off, but its answer had come before that. No bug: whoever waited for it learns from it."""

    def __init__(self, answer: Fetched) -> None:
        super().__init__()
        self.answer = answer


class EnginePanic(Exception):
    """A panic on a thread of the engine, which told of it as the failure of one fetch or look-up: a bug."""


def is_internal(error: BaseException) -> bool:
    """Whether this is a bug that concerns nothing but what met it.

    A store that is damaged or full says so by HondiusError, NativeError (io, corrupt) or OSError, and a machine that is
    out of memory by MemoryError: those concern the whole crawl. A panic of the URL store comes as `corrupt`; any other
    panic is that of one call.
    """
    if isinstance(error, PanicException):
        return True
    if isinstance(error, NativeError):
        return error.kind == "invalid"
    if isinstance(error, OSError):
        return isinstance(error, TimeoutError | ConnectionError)
    return isinstance(error, Exception) and not isinstance(error, HondiusError | MemoryError | CancelledError)
