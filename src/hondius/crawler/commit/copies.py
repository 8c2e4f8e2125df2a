"""Sets the original of a copy: if it is found late, or changes because the first page with the body cannot be
written."""

from collections.abc import Iterable
from typing import Protocol

import msgspec

from hondius.crawler.commit.outcome import Change, FetchRecord, Outcome
from hondius.model import Finished, State

NOT_MODIFIED = 304


class Original(Protocol):
    @property
    def original_url(self) -> str:
        """Its URL."""

    @property
    def date(self) -> str:
        """The WARC date of its record."""


def name_original(outcome: Outcome, record: FetchRecord, original: Original | None) -> None:
    """`original`: None if no page with this body is known; then this page is the first."""
    assert outcome.finished is not None
    if original is None:
        record.keep_whole()
        outcome.finished = _make_original(outcome.finished)
    else:
        record.copy_of, record.copy_date = original.original_url, original.date
        outcome.finished = msgspec.structs.replace(outcome.finished, copy_of=original.original_url)
    record.lacks_original = False


def pass_body_on(lost: Finished, following: Iterable[Change]) -> Finished | None:
    """No page may be a copy of a page that is in no frame. The first of its copies becomes the original, and is
    returned; each copy is archived whole. Copies come after their original, so none of them is written yet."""
    first: Finished | None = None
    for copy in following:
        if isinstance(copy, Outcome) and copy.finished is not None and is_copy(copy.finished, lost):
            copy.finished = _make_original(copy.finished) if first is None else _make_copy(copy.finished, first)
            if copy.record is not None:
                copy.record.keep_whole()
            first = first or copy.finished
    return first


def pass_cluster_on(lost: Finished, following: Iterable[Change]) -> Finished | None:
    """No page may be a near copy of a page that is in no frame. The first of its near copies becomes the canonical
    member, and is returned."""
    first: Finished | None = None
    for change in following:
        if isinstance(change, Outcome) and change.finished is not None and change.finished.near_of == lost.key:
            near_of = None if first is None else first.key
            change.finished = msgspec.structs.replace(change.finished, near_of=near_of)
            if first is None and change.finished.state is State.COMPLETED:
                first = change.finished
    return first


def is_copy(page: Finished, original: Finished) -> bool:
    """Whether its own answer had the body of the original. A 304 has no body: it refers to an earlier record."""
    return (
        page.state is State.DUPLICATE
        and page.copy_of == original.url
        and page.content_hash == original.content_hash
        and page.status != NOT_MODIFIED
    )


def _make_original(page: Finished) -> Finished:
    return msgspec.structs.replace(page, state=State.COMPLETED, cause="", copy_of=None)


def _make_copy(page: Finished, original: Finished) -> Finished:
    return msgspec.structs.replace(page, copy_of=original.url)
