"""R: a page is fetched again when it is due, and not before, unless the operator wants it; none that is due is
forgotten, however often the crawl is killed."""

from collections.abc import Iterator
from typing import Any

from hondius.model import Discovered, Finished, RecrawlOrder
from hondius.native import decode_discoveries
from tests.simulation.judges.evidence import Evidence


def check_returning(evidence: Evidence, pages: dict[bytes, dict[str, Any]]) -> Iterator[str]:
    yield from _find_early(evidence)
    yield from _find_forgotten(evidence, pages)


def _find_early(evidence: Evidence) -> Iterator[str]:
    """By the clock of the crawl, which may be wrong: both times are compared as they were recorded."""
    ordered = {
        url for _, order in evidence.simulation.operator.kept if isinstance(order, RecrawlOrder) for url in order.urls
    }
    due: dict[bytes, float | None] = {}
    for frame in evidence.frames:
        for event in frame.events:
            if isinstance(event, Finished):
                due[event.key] = event.next_fetch_at
            if not isinstance(event, Discovered):
                continue
            for url in decode_discoveries(event.data):
                if url.via != "recrawl" or url.source is not None or url.key not in due or url.href in ordered:
                    continue
                at = due.pop(url.key)
                if at is None or at > url.discovered_at:
                    yield f"{url.href} was queued again at {url.discovered_at}, and was due at {at}"


def _find_forgotten(evidence: Evidence, pages: dict[bytes, dict[str, Any]]) -> Iterator[str]:
    """A run that is done has fetched everything that was due when it began."""
    last = evidence.simulation.lives[-1]
    if last.reason != "done" or last.number == 0:
        return
    began = last.opened + last.set_by
    for page in pages.values():
        if page["next_fetch_at"] is not None and page["next_fetch_at"] <= began:
            yield f"{page['url']} was due at {page['next_fetch_at']}, and the run that began at {began} forgot it"
