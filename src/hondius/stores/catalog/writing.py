"""Writes the rows of frames, within the caller's transaction. Both functions return how many events met a bug.

The frames are durable, so a bug must not stop them here: every later start would meet it again. If the end of a URL
cannot be written, it is shown as `internal`; any other such event is skipped. The same frames always give the same
rows.
"""

import logging
from collections.abc import Sequence

import apsw

from hondius import __version__
from hondius.errors import is_internal
from hondius.model import AnyEvent, Finished, Frame, end_by_bug, format_internal_detail
from hondius.stores.catalog.frame_rows import FrameRows

_log = logging.getLogger("hondius.stores.catalog")


def write_together(writer: apsw.Connection, frames: Sequence[Frame]) -> int:
    changes = FrameRows()
    for frame in frames:
        changes.add(frame)
    _execute(writer, changes)
    return 0


def write_one_by_one(writer: apsw.Connection, frames: Sequence[Frame]) -> int:
    """Writes each event by itself, so that only events that meet the bug are lost."""
    return sum(
        not _write_or_replace(writer, event, frame.number, position)
        for frame in frames
        for position, event in enumerate(frame.events)
    )


def _write_or_replace(writer: apsw.Connection, event: AnyEvent, sequence: int, position: int) -> bool:
    """Returns False if a bug prevented writing it as it is."""
    error = _write(writer, event, sequence, position)
    if error is None:
        return True
    _log.error("event %d of frame %d cannot be shown as it is", position, sequence, exc_info=error)
    if isinstance(event, Finished):
        detail = format_internal_detail(__version__, f"{type(error).__name__}: {error}")
        for with_request in (True, False):
            if _write(writer, end_by_bug(event, detail, with_request=with_request), sequence, position) is None:
                break
    return False


def _write(writer: apsw.Connection, event: AnyEvent, sequence: int, position: int) -> BaseException | None:
    changes = FrameRows()
    try:
        with writer:
            changes.add_event(event, sequence, position)
            _execute(writer, changes)
    except BaseException as error:
        if not is_internal(error) or isinstance(error, _DISK_ERRORS):
            raise
        return error
    return None


_DISK_ERRORS = (
    apsw.FullError,
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.SQLError,
    apsw.FormatError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.BusyError,
    apsw.NoMemError,
)


def _execute(writer: apsw.Connection, changes: FrameRows) -> None:
    for statement, rows in changes.list_statements():
        writer.executemany(statement, rows)
