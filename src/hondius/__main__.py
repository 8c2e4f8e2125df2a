"""`hondius`, and `python -m hondius`."""

import gc
import os
import signal
import sys
from typing import NoReturn

from hondius.garbage import collect_rarely

INTERRUPTED = 130


def main() -> NoReturn:
    """Modules stay to the end: the collector does not look at them while they are imported, either. Nothing is under
    way by then: an interrupt ends it without a word."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # else it is ignored, as in the background of a script
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
    gc.disable()
    from hondius.operate.cli.main import main

    collect_rarely()
    gc.enable()
    signal.signal(signal.SIGINT, before)
    try:
        _leave(main())
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)


def _leave(status: int) -> NoReturn:
    """Everything is closed, durable and told by now. What is left is memory, which the system takes back at once;
    Python would look at every object once more."""
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
