"""Room for the file that SQLite's connections share, `crawl.db-shm`.

SQLite maps it, and allots it a byte a page: where the blocks of a file system are smaller than a page, a part of each
page has no room of its own, and a process that touches it on a full disk is killed, without a word. So there is room
before SQLite looks, and then it is allotted in whole.
"""

import errno
import os
import shutil
from pathlib import Path

ALLOTTED = 128 * 1024
"""Enough for a write-ahead log of 16,000 pages; it is folded into the file after 4,000."""
NEEDED = 4 * ALLOTTED


def has_room(database: Path) -> bool:
    return shutil.disk_usage(database.parent).free >= NEEDED


def allot(database: Path) -> int | None:
    """After the first look at the database. The descriptor must stay open for as long as the connections are: with it
    the system would take away their locks. Raises OSError where there is no room after all."""
    try:
        descriptor = os.open(database.with_name(f"{database.name}-shm"), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        os.posix_fallocate(descriptor, 0, ALLOTTED)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            os.close(descriptor)
            raise
    return descriptor
