"""Near copies (X2, X3): pages that say nearly the same as an earlier page, the canonical member of their cluster."""

from hondius.model import Finished
from hondius.native import Fetched, QueuedUrl
from hondius.ports import NearIndex, UrlStore


class NearCopies:
    """Pages that are in no frame yet are remembered by the index, until a frame that has them is applied."""

    def __init__(self, index: NearIndex | None, store: UrlStore) -> None:
        self._index = index
        self._store = store

    def recognise(self, url: QueuedUrl, fetched: Fetched, kind: str) -> bytes | None:
        """Returns the key of the page of which this one is a near copy. None if there is none, and then this page may
        have near copies. Exact copies are no near copies: their links are followed like those of any page."""
        page = fetched.page
        if self._index is None or kind != "page" or page is None or fetched.truncated:
            return None
        sketch = page.sketch
        if sketch is None or self._is_exact_copy(url, fetched):
            return None
        is_new, canonical = self._index.find(url.key, sketch)
        if is_new:
            self._index.remember(url.key, sketch)
        return canonical

    def forget(self, url: QueuedUrl) -> None:
        """Its answer is lost: nothing may be a near copy of it."""
        if self._index is not None:
            self._index.forget(url.key)

    def pass_on(self, lost: Finished, first: Finished | None) -> None:
        """The canonical member could not be written. `first`: the page that is the canonical member now."""
        if self._index is not None:
            self._index.forget(lost.key)
            if first is not None and first.sketch is not None:
                self._index.remember(first.key, first.sketch)

    def _is_exact_copy(self, url: QueuedUrl, fetched: Fetched) -> bool:
        body = fetched.content_hash
        return body is not None and fetched.decoded_length > 0 and self._store.same_content(body, url.key) is not None
