"""`python -m tests.acceptance.worlds.cold.evict DIRECTORY`: keeps the store cold, until its standard input ends.

The links of some thousand pages touch every block of the store. Without this, all later pages would find them cached.
"""

import contextlib
import os
import select
import sys
from pathlib import Path

EVERY = 0.5


def main() -> None:
    directory = Path(sys.argv[1])
    while not select.select([sys.stdin], [], [], EVERY)[0]:
        for path in directory.rglob("*.run"):
            with contextlib.suppress(OSError):  # merged and removed meanwhile
                _evict(path)


def _evict(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


if __name__ == "__main__":
    main()
