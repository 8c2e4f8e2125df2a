"""Input of the archive in tests."""

from dataclasses import dataclass

from hondius.native import Fetched


@dataclass(frozen=True)
class Kept:
    """An `ArchivedFetch`."""

    fetched: Fetched
    copy_of: str | None = None
    copy_date: str | None = None
    metadata: str = ""
    keep_body: bool = True
