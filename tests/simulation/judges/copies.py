"""X1, X3: of one body one page is the first; all others are copies of it."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from hondius.model import State
from tests.simulation.judges.evidence import Evidence


def check_copies(evidence: Evidence, pages: dict[bytes, dict[str, Any]]) -> Iterator[str]:
    """Bodies of the simulated web do not change. A copy that was asked for again and is unchanged (304) counts as
    completed: it brought no body."""
    firsts: dict[bytes, list[str]] = defaultdict(list)
    completed: set[tuple[bytes, str]] = set()
    for page in pages.values():
        if page["state"] == State.COMPLETED and page["kind"] == "page" and page["length"] and page["content_hash"]:
            completed.add((page["content_hash"], page["url"]))
            if page["cause"] != "unchanged":
                firsts[page["content_hash"]].append(page["url"])
    for urls in firsts.values():
        if len(urls) > 1:
            yield f"{len(urls)} pages are the first of one body: {', '.join(sorted(urls)[:3])}"
    for page in pages.values():
        if page["state"] == State.DUPLICATE and (page["content_hash"], page["copy_of"]) not in completed:
            yield f"{page['url']} is a copy of {page['copy_of']}, which did not complete with this body"
