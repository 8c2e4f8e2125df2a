"""Who is the first with a body, when the page that was cannot be written."""

from collections.abc import Iterable

import msgspec

from hondius.crawler.commit.outcome import Change, Outcome
from hondius.model import Finished, State

NOT_MODIFIED = 304


def pass_body_on(lost: Finished, following: Iterable[Change]) -> Finished | None:
    """Nothing may be a copy of a page that is in no frame. The first of its copies takes its place, and is returned;
    each of them is archived whole. Copies come after their original, so none is written yet."""
    first: Finished | None = None
    for copy in following:
        if isinstance(copy, Outcome) and copy.finished is not None and is_copy(copy.finished, lost):
            copy.finished = _made_first(copy.finished) if first is None else _copy_of(copy.finished, first)
            if copy.record is not None:
                copy.record.keep_whole()
            first = first or copy.finished
    return first


def is_copy(page: Finished, original: Finished) -> bool:
    """Whether its own answer had the body of the original. A 304 has none: it refers to a record of an earlier day."""
    return (
        page.state is State.DUPLICATE
        and page.copy_of == original.url
        and page.content_hash == original.content_hash
        and page.status != NOT_MODIFIED
    )


def _made_first(page: Finished) -> Finished:
    return msgspec.structs.replace(page, state=State.COMPLETED, cause="", copy_of=None)


def _copy_of(page: Finished, original: Finished) -> Finished:
    return msgspec.structs.replace(page, copy_of=original.url)
