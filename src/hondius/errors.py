"""Everything that Hondius raises, as one tree.

    HondiusError                    one line for the user, and an exit status
    ├── WrongUse                    2: a bad seed, option or setting; nothing was written
    │   ├── BadSetting
    │   ├── BadSeed
    │   │   └── UnknownSeed         an existing crawl does not have it, and may not add it
    │   ├── BadDirectory            unwritable, holds something else, a newer format
    │   └── DirectoryInUse          another process has this crawl open
    ├── UnknownUrl                  1: Python asked for a URL that has not ended; also a KeyError
    ├── Broken                      1: files on disk are damaged; see `hondius verify`, `rebuild`
    │   ├── BrokenLog
    │   ├── BrokenIndex             the search index, which the next search rebuilds
    │   └── BrokenView              rebuilt from the log: by `crawl` and `resume` themselves, or by `rebuild`
    │       └── HaltedView          intact, but without writes until it is reopened, which the crawl does itself
    ├── HookStopped                 1: a hook failed, or hooks hang, and the crawl stops for it
    └── DiskFull                    a crawl pauses until there is room; it never ends

    CrawlWarning                    for `warnings`: a crawl in Python ended, and its result is not what it looks like

The failure of a *URL* is never an exception: it is a cause, such as `read_timeout`, and the table in
`crawler/politeness/failures.py` says what follows from it. Any other exception is a bug (`is_internal`), and fails only
the URL or host that met it (`crawler/boundary.py`).
"""

from asyncio import CancelledError
from pathlib import Path

from hondius.hints import quote_command
from hondius.native import Fetched, NativeError, PanicException


class HondiusError(Exception):
    """The message is shown to the user unchanged, so it says what to do."""

    exit_status = 1


class WrongUse(HondiusError):
    exit_status = 2


class BadSetting(WrongUse):
    pass


class BadSeed(WrongUse):
    pass


class UnknownSeed(BadSeed):
    """The message is for the command; a Python program gets other words for it."""

    def __init__(self, directory: Path, url: str) -> None:
        resume = quote_command("resume", directory, url)
        super().__init__(
            f"{directory} holds a crawl without the seed {url}: {resume} adds it, another --into starts a new crawl"
        )
        self.directory = directory
        self.url = url


class BadDirectory(WrongUse):
    pass


class DirectoryInUse(WrongUse):
    pass


class UnknownUrl(HondiusError, KeyError):
    __str__ = Exception.__str__
    """Not that of KeyError, which quotes the message."""


class Broken(HondiusError):
    pass


class BrokenLog(Broken):
    pass


class BrokenIndex(Broken):
    pass


class BrokenView(Broken):
    """The message is the path of the view followed by `reason`. The crawl itself knows its views only by name."""

    def __init__(self, view: Path, reason: str) -> None:
        super().__init__(f"{view} {reason}; run {quote_command('rebuild', view.parent)}")
        self.view = view
        self.reason = reason


class HaltedView(BrokenView):
    pass


class DiskFull(HondiusError):
    pass


class HookStopped(HondiusError):
    pass


class CrawlWarning(UserWarning):
    """Given in Python where a result is less than it looks: at the end of a crawl if nothing was fetched or hooks
    failed; by tables, queries and searches if archived bodies could not be read."""


class CalledOff(CancelledError):
    """A request was cancelled after its answer had arrived. This is not a bug: the caller can still use the answer."""

    def __init__(self, answer: Fetched) -> None:
        super().__init__()
        self.answer = answer


class EnginePanic(Exception):
    """A panic on a thread of the engine, reported as the failure of one fetch or look-up: a bug."""


def is_internal(error: BaseException) -> bool:
    """Whether this is a bug that affects only the URL or host that met it.

    Errors of the whole crawl are excluded: a damaged or full store raises HondiusError, NativeError (io, corrupt) or
    OSError, and a machine without memory MemoryError. A panic of the URL store arrives as `corrupt`; any other panic
    affects one call.
    """
    if isinstance(error, PanicException):
        return True
    if isinstance(error, NativeError):
        return error.kind == "invalid"
    if isinstance(error, OSError):
        return isinstance(error, TimeoutError | ConnectionError)
    return isinstance(error, Exception) and not isinstance(error, HondiusError | MemoryError | CancelledError)
