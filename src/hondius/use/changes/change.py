"""One change of a page."""

from datetime import UTC, datetime
from enum import StrEnum

import msgspec

from hondius.model import EARLIEST, LATEST, Finished, Frame


class ChangeKind(StrEnum):
    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"


class Change(msgspec.Struct, frozen=True):
    """As it is printed and sent, in JSON."""

    id: str
    """The same whenever this change is read again."""
    kind: ChangeKind
    url: str
    at: str
    """When the answer arrived, in UTC."""
    previous_at: str | None
    """When the answer before arrived that brought the page. None: never."""
    title: str
    status: int | None
    type: str
    language: str
    key: str
    """Of the page, in hex: as in exports."""
    content_hash: str | None
    redirect_to: str | None
    """Where the page leads now, if it has become a redirect."""
    copy_of: str | None
    near_copy_of: str | None
    """The key of the page of which it is a near copy."""


def make_change(frame: Frame, index: int, end: Finished, kind: ChangeKind, previous_at: float | None) -> Change:
    """`index`: of the end in its frame."""
    return Change(
        id=f"{frame.log:x}-{frame.number}-{index}",
        kind=kind,
        url=end.url,
        at=format_time(find_time(frame, end)),
        previous_at=None if previous_at is None else format_time(previous_at),
        title=end.title,
        status=end.status,
        type=end.type,
        language=end.language,
        key=end.key.hex(),
        content_hash=None if end.content_hash is None else end.content_hash.hex(),
        redirect_to=end.redirect_to,
        copy_of=end.copy_of or None,
        near_copy_of=None if end.near_of is None else end.near_of.hex(),
    )


def find_time(frame: Frame, end: Finished) -> float:
    return frame.at if end.fetched_at is None else end.fetched_at


def format_time(at: float) -> str:
    known = datetime.fromtimestamp(min(max(at, EARLIEST), LATEST), UTC)
    return known.isoformat(timespec="milliseconds").replace("+00:00", "Z")
