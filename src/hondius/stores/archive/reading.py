"""Reads WARC records."""

import re

from hondius.errors import Broken
from hondius.native import NativeError, warc_read
from hondius.ports import Disk, Record

DIRECTORY = "warc"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,200}\.warc\.gz")
LARGEST_BODY = 50_000_000
"""Bytes. This is the cap of a sitemap; only a higher `fetch.page_cap` allows longer bodies."""


class RecordFiles:
    """ArchiveReader, for files in `warc/`."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def record(self, file: str, offset: int, length: int) -> bytes:
        return self._disk.read(make_warc_path(file), offset, length)

    def read(self, file: str, offset: int, length: int, cap: int = LARGEST_BODY) -> Record:
        return decode_record(self.record(file, offset, length), f"{file} holds no record at {offset}", cap)

    def size(self) -> int:
        names = (name for name in self._disk.list(DIRECTORY) if name.endswith(".warc.gz"))
        return sum(self._disk.size(f"{DIRECTORY}/{name}") for name in names)


def decode_record(data: bytes, problem: str, cap: int) -> Record:
    try:
        return warc_read(data, cap=cap)
    except NativeError as error:
        raise Broken(f"{problem} ({error})") from error


def make_warc_path(name: str) -> str:
    """Names come from the log or the catalog, which a stranger may have written: only plain names are allowed."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise Broken(
            f"{name!r} is no name of a WARC file: the log or crawl.db was not written by Hondius; stop using it"
        )
    return f"{DIRECTORY}/{name}"
