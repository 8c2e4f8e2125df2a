"""Opens the URL store of a crawl directory."""

import errno
from pathlib import Path

from hondius.errors import BrokenView, DiskFull, HondiusError
from hondius.native import HostLimits, NativeError, UrlStore

_THE_SYSTEMS = frozenset(
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENXIO}
)
"""Refusals that a new store would meet, too. Others (a file that is missing, or there already, or short) come of a
store whose making or deletion was cut short; or of a place of the disk that cannot be read any more."""


def open_urls(
    path: Path,
    *,
    capacity: int,
    memory: int,
    limits: HostLimits | None = None,
    share: tuple[int, int] | None = None,
) -> UrlStore:
    """`share`: the partition that it is for, and of how many."""
    try:
        return UrlStore(str(path), capacity=capacity, memory=memory, limits=limits, share=share)
    except NativeError as error:
        if error.kind == "io" and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(f"no room left for {path}; make room") from error
        if error.kind == "corrupt" or (error.kind == "io" and error.errno not in _THE_SYSTEMS):
            raise BrokenView(path, f"cannot be opened ({error})") from error
        if error.kind == "io":
            remedy = "; change its permissions" if is_shut(error) else ""
            raise HondiusError(f"{path} cannot be opened ({error}){remedy}") from error
        raise


def is_shut(error: NativeError) -> bool:
    """It may not be read: that says nothing of what is there."""
    return error.kind == "io" and error.errno in (errno.EACCES, errno.EPERM)
