"""What kind of answer came: a page, a redirect, something we do not read, or a failure."""

from email.utils import parsedate_to_datetime
from enum import Enum

from hondius.native import Fetched

REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Answer(Enum):
    PAGE = "page"
    REDIRECT = "redirect"
    OTHER_TYPE = "other type"
    FAILURE = "failure"


def answer_of(fetched: Fetched, wanted_types: frozenset[str]) -> tuple[Answer, str]:
    """The kind of answer and, for all but a page, its cause."""
    if fetched.failure is not None:
        return Answer.FAILURE, fetched.failure
    status = fetched.status or 0
    if status in REDIRECTS and fetched.header("location"):
        return Answer.REDIRECT, f"http_{status}"
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
