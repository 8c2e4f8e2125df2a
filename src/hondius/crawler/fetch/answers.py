"""Classifies an answer: a page, a redirect, a type that is not read, or a failure."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from hondius.native import Fetched


class Answer(Enum):
    PAGE = "page"
    REDIRECT = "redirect"
    NOT_MODIFIED = "not modified"
    OTHER_TYPE = "other type"
    FAILURE = "failure"


PAGE = Answer.PAGE
"""A constant because every page needs it: before Python 3.12, looking up an enum member takes as long as several
calls."""


def classify_answer(fetched: Fetched, wanted_types: frozenset[str]) -> tuple[Answer, str]:
    """The kind of answer and, for all but a page, its cause."""
    if fetched.failure is not None:
        return Answer.FAILURE, fetched.failure
    status = fetched.status or 0
    if fetched.is_redirect:
        return Answer.REDIRECT, f"http_{status}"
    if status == 304:
        return Answer.NOT_MODIFIED, "unchanged"
    if not 200 <= status < 300:
        return Answer.FAILURE, f"http_{status}"
    is_page = fetched.kind == "page" and not fetched.is_sitemap
    if is_page and wanted_types and fetched.content_type not in wanted_types:
        return Answer.OTHER_TYPE, "type"
    return PAGE, ""


def make_conditions(previous: Mapping[str, Any] | None) -> list[tuple[str, bytes]]:
    """Headers that request a page only if it has changed (H4)."""
    if previous is None or previous["content_hash"] is None:
        return []
    known = (("If-None-Match", previous["etag"]), ("If-Modified-Since", previous["last_modified"]))
    return [(name, value) for name, value in known if value]
