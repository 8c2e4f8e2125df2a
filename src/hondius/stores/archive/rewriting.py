"""Copies a WARC file, some records without their bodies (S9)."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hondius.errors import Broken
from hondius.moves import Move
from hondius.native import WarcEntry, WarcSettings, warc_copy, warc_scan
from hondius.ports import StoredRecord

WINDOW = 16 * 1024 * 1024
LARGEST_RECORD = 256 * 1024 * 1024
_REVISION = re.compile(r"(.*?)(?:\.r(\d{1,9}))?\.warc\.gz")
_DATE = 1
"""The field of an index line that has the date."""

Read = Callable[[int, int], bytes]
"""Reads so many bytes at an offset."""


class Piece(NamedTuple):
    data: bytes
    moves: list[Move]
    cdxj: list[str]


def name_revision(file: str) -> str:
    """`….warc.gz` becomes `….r1.warc.gz`, and that `….r2.warc.gz`. The number of the file stays in its name."""
    match = _REVISION.fullmatch(file)
    assert match is not None
    return f"{match[1]}.r{int(match[2] or 0) + 1}.warc.gz"


def copy_records(
    settings: WarcSettings,
    read: Read,
    length: int,
    into: str,
    start: int,
    is_unwanted: Callable[[StoredRecord], bool],
) -> Iterator[Piece]:
    """The records of the first `length` bytes of a file, a window at a time. `start`: where the first goes. Raises
    Broken at the first damaged one: a file that cannot be read whole is not replaced."""
    offset, window = 0, WINDOW
    while offset < length:
        data = read(offset, min(window, length - offset))
        entries, _ = warc_scan(data, offset, into)
        unwanted = [entry.offset for entry in entries if _is_unwanted(entry, is_unwanted)]
        copied, moves, cdxj, whole = warc_copy(
            settings, data, base_offset=offset, new_offset=start, file_name=into, without_body=unwanted
        )
        if whole == 0 and (offset + len(data) >= length or window >= LARGEST_RECORD):
            raise Broken(f"it is damaged at byte {offset:,}")
        removed = frozenset(unwanted)
        yield Piece(copied, [Move(old, new, size, int(old in removed)) for old, new, size in moves], cdxj)
        start += len(copied)
        offset += whole
        window = WINDOW if whole else window * 2


def _is_unwanted(entry: WarcEntry, judge: Callable[[StoredRecord], bool]) -> bool:
    """Damaged records stay as they are: `verify` reports them. Revisits have no body; they are marked alike."""
    if entry.kind not in ("response", "revisit") or entry.cdxj is None or entry.problem is not None:
        return False
    return judge(StoredRecord(entry.offset, entry.target, entry.cdxj.split(" ", 2)[_DATE]))
