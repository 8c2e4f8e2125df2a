"""`hondius`, and `python -m hondius`."""

import gc
import os
import sys
from typing import NoReturn

from hondius.garbage import collect_rarely


def main() -> NoReturn:
    """Modules stay to the end: the collector does not look at them while they are imported, either."""
    gc.disable()
    from hondius.operate.cli.main import main

    collect_rarely()
    gc.enable()
    _leave(main())


def _leave(status: int) -> NoReturn:
    """Everything is closed and durable by now. What is left is memory, which the system takes back at once; Python
    would look at every object once more."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        sys.exit(status)  # and Python tells what could not be written
    os._exit(status)


if __name__ == "__main__":
    main()
