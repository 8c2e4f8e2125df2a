"""`hondius`, and `python -m hondius`."""

import os
import signal

INTERRUPTED = 130
BEFORE = signal.getsignal(signal.SIGINT)
"""Ignored, as in the background of a script, or raising KeyboardInterrupt."""
if BEFORE is signal.default_int_handler:
    # Before anything else is imported: nothing is under way yet, and an interrupt ends it without a word. Python's own
    # start, before this line, cannot be helped.
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))

import gc  # noqa: E402
import sys  # noqa: E402
from typing import NoReturn  # noqa: E402

from hondius.garbage import collect_rarely  # noqa: E402


def main() -> NoReturn:
    """Modules stay to the end: the collector does not look at them while they are imported, either."""
    gc.disable()
    from hondius.operate.cli.main import load, main

    load(sys.argv[1:])
    collect_rarely()
    gc.enable()
    try:
        signal.signal(signal.SIGINT, BEFORE)
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
