"""`hondius`, and `python -m hondius`."""

import os
import signal

INTERRUPTED = 130
BEFORE = signal.getsignal(signal.SIGINT)
"""The inherited handler: it ignores the signal (a background job of a script) or raises KeyboardInterrupt."""
if BEFORE is signal.default_int_handler:
    # Installed before any other import: Ctrl-C during the imports exits silently instead of printing a traceback.
    # Python's own start-up, before this line, is not covered.
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))

import gc  # noqa: E402
import sys  # noqa: E402
from typing import NoReturn  # noqa: E402

from hondius.gc_tuning import collect_rarely  # noqa: E402


def main() -> NoReturn:
    """The garbage collector is off during the imports: modules live until the process ends."""
    gc.disable()
    from hondius.operate.cli.main import load, main

    load(sys.argv[1:])
    collect_rarely()
    gc.enable()
    try:
        signal.signal(signal.SIGINT, BEFORE)
        _exit(main())
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)


def _exit(status: int) -> NoReturn:
    """Exit without Python's own shutdown, which visits every object. By now all files are closed and durable."""
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
