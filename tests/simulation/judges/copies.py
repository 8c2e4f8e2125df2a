"""X1, X3: of all pages with the same body, one is the original and the others are copies."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from hondius.model import Finished, State
from tests.simulation.judges.evidence import Evidence


def check_copies(evidence: Evidence, pages: dict[bytes, dict[str, Any]]) -> Iterator[str]:
    """Bodies of the simulated web do not change. A copy that is refetched and unchanged (304) stays a copy."""
    firsts: dict[bytes, list[str]] = defaultdict(list)
    for page in pages.values():
        is_first = page["state"] == State.COMPLETED and page["kind"] == "page"
        if is_first and page["length"] and page["content_hash"]:
            firsts[page["content_hash"]].append(page["url"])
    for urls in firsts.values():
        if len(urls) > 1:
            yield f"{len(urls)} pages are the first of one body: {', '.join(sorted(urls)[:3])}"
    yield from _find_copies_without_original(evidence, pages)


def _find_copies_without_original(evidence: Evidence, pages: dict[bytes, dict[str, Any]]) -> Iterator[str]:
    """The original must have completed before the copy. Its later state does not matter: after a recrawl it may be
    refused, but its body stays in the archive."""
    completed: dict[tuple[bytes, str], float] = {}
    for ends in evidence.finished.values():
        for at, end in ends:
            if end.state is State.COMPLETED and end.kind == "page" and end.length and end.content_hash:
                completed.setdefault((end.content_hash, end.url), at)
    for key, page in pages.items():
        at, end = evidence.finished[key][-1]
        if page["state"] == State.DUPLICATE and not _is_original(completed, at, end):
            yield f"{page['url']} is a copy of {page['copy_of']}, which did not complete with this body"


def _is_original(completed: dict[tuple[bytes, str], float], at: float, copy: Finished) -> bool:
    """Whether it completed in an earlier frame or in the same one."""
    return copy.content_hash is not None and completed.get((copy.content_hash, copy.copy_of or ""), at + 1.0) <= at
