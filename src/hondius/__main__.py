"""`hondius`, and `python -m hondius`."""

import gc
import os
import sys
from typing import NoReturn

YOUNG = 20_000
"""Objects that may be made before the garbage collector looks at them. A page makes hundreds, and hardly one is part of
a cycle: looked at every 700 objects, as Python does by itself, they cost a crawl a thirtieth of its time."""


def main() -> NoReturn:
    """Modules stay to the end, so the collector looks at them neither while they are imported nor later."""
    gc.disable()
    from hondius.operate.cli.main import main

    gc.freeze()
    gc.set_threshold(YOUNG)
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
