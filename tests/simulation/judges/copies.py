"""X1, X3: of one body one page is the first; all others are copies of it."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from hondius.model import Finished, State
from tests.simulation.judges.evidence import Evidence


def check_copies(evidence: Evidence, pages: dict[bytes, dict[str, Any]]) -> Iterator[str]:
    """Bodies of the simulated web do not change. A copy that was asked for again and is unchanged (304) stays one."""
    firsts: dict[bytes, list[str]] = defaultdict(list)
    for page in pages.values():
        is_first = page["state"] == State.COMPLETED and page["kind"] == "page"
        if is_first and page["length"] and page["content_hash"]:
            firsts[page["content_hash"]].append(page["url"])
    for urls in firsts.values():
        if len(urls) > 1:
            yield f"{len(urls)} pages are the first of one body: {', '.join(sorted(urls)[:3])}"
    yield from _without_original(evidence, pages)


def _without_original(evidence: Evidence, pages: dict[bytes, dict[str, Any]]) -> Iterator[str]:
    """The original had completed by the time of the copy. What became of it since does not matter: one that is wanted
    again may be refused, and its body stays in the archive."""
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
    """In an earlier frame or in the same."""
    return copy.content_hash is not None and completed.get((copy.content_hash, copy.copy_of or ""), at + 1.0) <= at
