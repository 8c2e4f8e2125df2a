"""Opens the URL store of a crawl directory."""

import errno
from pathlib import Path

from hondius.errors import BrokenView, DiskFull, HondiusError
from hondius.native import HostLimits, NativeError, UrlStore

_SYSTEM_ERRORS = frozenset(
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENXIO}
)
"""Errors that a new store would meet, too: those of the system. Other errors (a file that is missing, exists already,
or is too short) come from an interrupted creation or deletion, or from an unreadable part of the disk."""


def open_urls(
    path: Path,
    *,
    capacity: int,
    memory: int,
    limits: HostLimits | None = None,
    share: tuple[int, int] | None = None,
) -> UrlStore:
    """`share`: its partition, and the number of partitions."""
    try:
        return UrlStore(str(path), capacity=capacity, memory=memory, limits=limits, share=share)
    except NativeError as error:
        if error.kind == "io" and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(f"no room left for {path}; make room") from error
        if error.kind == "corrupt" or (error.kind == "io" and error.errno not in _SYSTEM_ERRORS):
            raise BrokenView(path, f"cannot be opened ({error})") from error
        if error.kind == "io":
            remedy = "; change its permissions" if is_access_denied(error) else ""
            raise HondiusError(f"{path} cannot be opened ({error}){remedy}") from error
        raise


def is_access_denied(error: NativeError) -> bool:
    """Whether access is denied: then nothing is known about the content."""
    return error.kind == "io" and error.errno in (errno.EACCES, errno.EPERM)
