"""What a crawl remembers of a page between two visits: `Finished.visits`.

It is carried from visit to visit, also through visits that failed, so that the next good one is compared with the last
good one. Whether a page has changed is decided by its *mark* alone (R3). A better mark needs no other change: give it a
kind of its own, and visits with marks of two kinds are never compared.
"""

import struct
from dataclasses import dataclass, replace

from hondius.crawler.recrawl.history import NO_HISTORY, History, decode_history
from hondius.model import EARLIEST, LATEST, Finished, State

VERSION = 1
_HEAD = struct.Struct("<BdBBIB")
"""Version; time of the last good visit; failures; visits that found nothing; version and length of the mark."""
MOST_COUNTED = 255
LONGEST_MARK = 32

NO_VERSION = 0
"""Of a mark that is the hash of a body: it has no rules that could change."""
OF_REDIRECT = 2**32 - 1
"""The version of a mark that is the target of a redirect."""


@dataclass(frozen=True, slots=True)
class Past:
    seen_at: float | None = None
    """When the last good visit was; None: never."""
    failures: int = 0
    """Failed visits since, for temporary causes."""
    missing: int = 0
    """Visits since that were answered by 404 or 410."""
    mark_version: int = NO_VERSION
    mark: bytes = b""
    history: History = NO_HISTORY

    def encode(self) -> bytes:
        seen_at = EARLIEST if self.seen_at is None else self.seen_at
        head = _HEAD.pack(VERSION, seen_at, self.failures, self.missing, self.mark_version, len(self.mark))
        return head + self.mark + self.history.encode()

    def fail(self) -> "Past":
        return replace(self, failures=min(self.failures + 1, MOST_COUNTED))

    def miss(self) -> "Past":
        return replace(self, missing=min(self.missing + 1, MOST_COUNTED))

    def compare(self, end: Finished) -> bool | None:
        """Whether the page has changed since the last good visit. None if that cannot be said."""
        if end.status == 304 and self.mark:
            return False
        version, mark = make_mark(end)
        if self.mark and mark and (version == OF_REDIRECT) != (self.mark_version == OF_REDIRECT):
            return True
        if not mark or not self.mark or version != self.mark_version or len(mark) != len(self.mark):
            return None
        return mark != self.mark

    def see(self, end: Finished, at: float, *, changed: bool | None) -> "Past":
        """After a good visit."""
        history = self.history
        if changed is not None and self.seen_at is not None:
            history = history.add(at - self.seen_at, has_changed=changed)
        if end.status == 304 and self.mark:
            return Past(at, 0, 0, self.mark_version, self.mark, history)
        return Past(at, 0, 0, *make_mark(end), history)


NO_PAST = Past()


def make_mark(end: Finished) -> tuple[int, bytes]:
    """(version, mark): what must differ for a page to count as changed. That is its text without what changes by itself
    (`Finished.change_hash`), as far as it has one, otherwise its title; the target of a redirect; or its bytes."""
    if end.state is State.REDIRECTED:
        return OF_REDIRECT, (end.redirect_to or "").encode()[-LONGEST_MARK:]
    text = end.change_hash or end.text_hash
    if text and end.text_version:
        return end.text_version, text[:LONGEST_MARK]
    return NO_VERSION, (end.content_hash or b"")[:LONGEST_MARK]


def decode_past(data: bytes | None) -> Past:
    """An empty past if there is none, or if it is not one: a crawl directory may come from a stranger."""
    if data is None or len(data) < _HEAD.size:
        return NO_PAST
    version, seen_at, failures, missing, mark_version, length = _HEAD.unpack_from(data)
    if version != VERSION or length > LONGEST_MARK or not EARLIEST <= seen_at <= LATEST:
        return NO_PAST
    mark_end = _HEAD.size + length
    history = decode_history(data[mark_end:])
    seen = None if seen_at == EARLIEST else seen_at
    return Past(seen, failures, missing, mark_version, data[_HEAD.size : mark_end], history)
