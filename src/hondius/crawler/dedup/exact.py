"""Exact copies, by the SHA-256 of the decoded body.

The links of a copy are admitted like those of any page. Links that its original brought are known and cost nothing.
There may be others, because `?page=2` means something else at another path, and because the original may have been
`nofollow` or of a type without links. Endless copies are limited by what their shape brings (F6).
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from hondius.model import Finished
from hondius.native import Fetched, QueuedUrl
from hondius.ports import UrlStore

RECENT = 10_000
NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class Copy:
    original_url: str
    """The URL of the first page with this body."""
    date: str
    """The WARC date of that page."""


ORIGINAL_UNKNOWN = Copy("", "")
"""Stands for an original that only the partition's view knows. `find_original` looks it up."""


class ExactCopies:
    """The partition's view may lag behind, so the most recent originals are remembered here. `page` and `fetches` read
    the view and block."""

    def __init__(
        self,
        store: UrlStore,
        page: Callable[[bytes], dict[str, Any] | None],
        fetches: Callable[[bytes], list[dict[str, Any]]],
    ) -> None:
        self._store = store
        self._page = page
        self._fetches = fetches
        self._recent: OrderedDict[bytes, tuple[str, float]] = OrderedDict()

    def recognise(self, url: QueuedUrl, fetched: Fetched) -> Copy | None:
        """Returns the original if this page is a copy, or ORIGINAL_UNKNOWN; None if it is not a copy, and then
        remembers its body. Reads nothing from disk except what the URL store has of the body."""
        body = fetched.content_hash
        if body is None or fetched.decoded_length == 0 or fetched.truncated:
            return None  # a truncated body says nothing about the whole
        first = self._store.same_content(body, url.key)
        if first is None:
            self._remember(body, url.key, url.href, fetched.started_at)
            return None
        recent = self._recent.get(first)
        return ORIGINAL_UNKNOWN if recent is None else Copy(recent[0], format_warc_date(recent[1]))

    def find_original(self, page: Finished) -> Copy | None:
        """Finds the original if `recognise` returned ORIGINAL_UNKNOWN. None if it cannot be found; then this page
        counts as the original from now on. Blocks: called on the thread of the commit."""
        body = page.content_hash
        first = self._store.same_content(body, page.key) if body is not None else None
        original = self._find_original_fetch(first, body) if first is not None and body is not None else None
        if original is not None:
            return Copy(original[0], format_warc_date(original[1]))
        if body is not None:
            self._remember(body, page.key, page.url, page.started_at or 0.0)
        return None

    def forget(self, url: QueuedUrl, fetched: Fetched) -> None:
        """Its answer is lost: nothing may be a copy of it, and the next page with this body is the first."""
        self._forget(url.key, fetched.content_hash)

    def pass_on(self, lost: Finished, first: Finished | None) -> None:
        """The first page with this body could not be written. `first`: the page that is the first now."""
        self._forget(lost.key, lost.content_hash)
        if first is not None and first.content_hash is not None:
            self._remember(first.content_hash, first.key, first.url, first.started_at or 0.0)

    def _forget(self, key: bytes, body: bytes | None) -> None:
        self._recent.pop(key, None)
        if body is not None:
            self._store.forget_content(body, key)

    def _remember(self, body: bytes, key: bytes, href: str, started_at: float) -> None:
        self._store.remember_content(body, key)
        self._recent[key] = (href, started_at)
        if len(self._recent) > RECENT:
            self._recent.popitem(last=False)

    def _find_original_fetch(self, key: bytes, body: bytes) -> tuple[str, float] | None:
        recent = self._recent.get(key)
        if recent is not None:
            return recent
        row = self._page(key)
        if not row or row["kind"] != "page":
            return None
        if row["started_at"] is not None and _has_body(row, body):
            return row["url"], row["started_at"]
        # Its newest end has no answer, or another body by now. An earlier fetch tells when the body was received.
        came = [fetch["started_at"] for fetch in self._fetches(key) if _has_body(fetch, body)]
        return next(((row["url"], at) for at in reversed(came) if at is not None), None)


def _has_body(fetch: dict[str, Any], body: bytes) -> bool:
    """A 304 has none that a revisit record could refer to. Retention may have removed it: then a copy brings it again
    (S9)."""
    return fetch["content_hash"] == body and fetch["status"] != NOT_MODIFIED and fetch["body_removed_at"] is None


def format_warc_date(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
