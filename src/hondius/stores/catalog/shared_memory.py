"""Allocates disk space for `crawl.db-shm`, the file that SQLite's connections share.

SQLite maps this file into memory, and allocates it by writing one byte per page. If the blocks of a file system are
smaller than a page, part of each page has no disk space. A process that touches it on a full disk is killed without a
message. So we check for space before SQLite opens the file, and then allocate all of it.
"""

import errno
import os
import shutil
from pathlib import Path

ALLOCATED = 128 * 1024
"""Enough for a write-ahead log of 16,000 pages; SQLite writes it back after 4,000."""
NEEDED = 4 * ALLOCATED


def has_room(database: Path) -> bool:
    return shutil.disk_usage(database.parent).free >= NEEDED


def allocate(database: Path) -> int | None:
    """Allocates the space. Call it after the database was first read. The returned descriptor must stay open as long as
    the connections: closing it would release their locks. Raises OSError if there is no space."""
    try:
        descriptor = os.open(database.with_name(f"{database.name}-shm"), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        os.posix_fallocate(descriptor, 0, ALLOCATED)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            os.close(descriptor)
            raise
    return descriptor
