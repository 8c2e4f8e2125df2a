"""What an answer is: a page, or a sitemap. A URL that was taken for a sitemap may lead to a page (D2).

Such a page is read here, from the body that came: the URL is known, whoever else links to it, and is not asked for
again. Pages that were asked for as pages were read on the engine's threads.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hondius.native import Fetched, Identity, LinkPolicy, Page, QueuedUrl, Reader, SitemapEntry, read_sitemap
from hondius.settings import Settings

GUESSED_PATH = "/sitemap.xml"
HTML = frozenset({"text/html", "application/xhtml+xml"})
_LOOKS_LIKE_HTML = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|<!--.*?-->)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_LOOKED_AT = 4_096


@dataclass(frozen=True, slots=True)
class Reading:
    kind: str
    """page | sitemap: what it counts as."""
    page: Page | None = None
    entries: Sequence[SitemapEntry] = ()


class Readings:
    def __init__(self, reader: Reader, pages: LinkPolicy, identity: Identity, settings: Settings) -> None:
        self._reader = reader
        self._pages = pages
        self._identity = identity
        self._wanted_types = settings.scope.wanted_types()
        self._page_cap = settings.fetch.page_cap

    def of(self, url: QueuedUrl, fetched: Fetched) -> Reading:
        if url.kind != "sitemap":
            return Reading("page", fetched.page)
        body = fetched.decoded or b""
        is_html = fetched.content_type in HTML
        if not is_html or _LOOKS_LIKE_HTML.match(body[:_LOOKED_AT]) is None:
            entries, _ = read_sitemap(body, url.href, self._identity)
            if entries or not is_html:
                return Reading("sitemap", entries=entries)
        return self._of_html(url, fetched, body[: self._page_cap])

    def _of_html(self, url: QueuedUrl, fetched: Fetched, body: bytes) -> Reading:
        """Where nobody named a sitemap, many sites answer with their home page or an excuse: its links are as good as
        any, but it is no page of its own."""
        unwanted = self._wanted_types and fetched.content_type not in self._wanted_types
        if unwanted or self._pages.judge(url.href, url.discovered_at) is not None:
            return Reading("sitemap")
        headers = fetched.headers
        page = self._reader.read(body, url=url.href, content_type=fetched.header("content-type") or "", headers=headers)
        is_guess = self._identity.parse(url.href).path_and_query == GUESSED_PATH
        return Reading("sitemap" if is_guess else "page", page)
