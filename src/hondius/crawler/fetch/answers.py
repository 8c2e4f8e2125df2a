"""What kind of answer came: a page, a redirect, something we do not read, or a failure."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any

from hondius.native import Fetched

REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Answer(Enum):
    PAGE = "page"
    REDIRECT = "redirect"
    NOT_MODIFIED = "not modified"
    OTHER_TYPE = "other type"
    FAILURE = "failure"


def answer_of(fetched: Fetched, wanted_types: frozenset[str]) -> tuple[Answer, str]:
    """The kind of answer and, for all but a page, its cause."""
    if fetched.failure is not None:
        return Answer.FAILURE, fetched.failure
    status = fetched.status or 0
    if status in REDIRECTS and fetched.header("location"):
        return Answer.REDIRECT, f"http_{status}"
    if status == 304:
        return Answer.NOT_MODIFIED, "unchanged"
    if not 200 <= status < 300:
        return Answer.FAILURE, f"http_{status}"
    if fetched.kind == "page" and wanted_types and fetched.content_type not in wanted_types:
        return Answer.OTHER_TYPE, "type"
    return Answer.PAGE, ""


def retry_after(fetched: Fetched, now: float) -> float | None:
    """Seconds to wait, as the server asked: a number or a date (P2). None where it said nothing readable."""
    value = (fetched.header("retry-after") or "").strip()
    if value.isdigit():
        return float(int(value[:12]))
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now) if value else None
    except (ValueError, OverflowError):
        return None


def conditions(past: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Headers that ask for a page only if it is not the one we have (H4)."""
    if past is None or past["content_hash"] is None:
        return []
    known = (("If-None-Match", past["etag"]), ("If-Modified-Since", past["last_modified"]))
    return [(name, value) for name, value in known if value]
