"""Pages as lines of `_bulk`, and what its answer says of each."""

from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from hondius.search_model import IndexedPage

BUSY = frozenset({429, 502, 503, 504})
NOT_FOUND = 404
"""The answer to the deletion of a page that is not there: that is what was wanted."""


@dataclass(frozen=True)
class Action:
    """Puts a page, or deletes it."""

    key: str
    lines: bytes
    url: str = ""


class _Failure(msgspec.Struct):
    type: str = ""
    reason: str | None = ""


class _Item(msgspec.Struct):
    status: int
    error: _Failure | str | None = None


class _Answer(msgspec.Struct):
    items: list[dict[str, _Item]]


@dataclass(frozen=True)
class Verdict:
    """What the server did with the actions of one request."""

    again: list[Action]
    """Not done, for want of resources."""
    refused: list[tuple[Action, str]]
    """Never to be done, and why."""


def make_put(page: IndexedPage) -> Action:
    key = page.key.hex()
    fetched_at = datetime.fromtimestamp(page.fetched_at, UTC).isoformat(timespec="milliseconds")
    document = {
        "url": page.url,
        "host": page.host,
        "title": page.title,
        "description": page.description,
        "headings": page.headings,
        "text": page.text,
        "language": page.language,
        "fetched_at": fetched_at,
        "is_copy": page.is_copy,
        "reserved_for": page.reserved,
    }
    return Action(key, _encode({"index": {"_id": key}}) + _encode(document), page.url)


def make_deletion(key: bytes) -> Action:
    return Action(key.hex(), _encode({"delete": {"_id": key.hex()}}))


def judge_answer(actions: list[Action], body: bytes) -> Verdict | None:
    """None if the answer is not that of `_bulk` to these actions."""
    try:
        items = [next(iter(item.values())) for item in msgspec.json.decode(body, type=_Answer).items]
    except (msgspec.MsgspecError, StopIteration, RecursionError):
        return None
    if len(items) != len(actions):
        return None
    verdict = Verdict([], [])
    for action, item in zip(actions, items, strict=True):
        if item.status in BUSY or item.status >= 500:
            verdict.again.append(action)
        elif item.status >= 400 and not (item.status == NOT_FOUND and not action.url):
            verdict.refused.append((action, _describe(item)))
    return verdict


def _describe(item: _Item) -> str:
    if isinstance(item.error, _Failure):
        return f"{item.status} {item.error.type}: {item.error.reason}"[:500]
    return f"{item.status} {item.error or ''}"[:500]


def _encode(value: object) -> bytes:
    return msgspec.json.encode(value) + b"\n"
