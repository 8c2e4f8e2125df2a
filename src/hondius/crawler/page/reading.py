"""Decides whether an answer counts as a page, as a sitemap or as a requisite. The engine's threads have analysed it.

A URL that was taken for a sitemap or a requisite may lead to a page (D2), a seed to a sitemap or a feed (D1), and a
link to an image that pages need (D7). The URL is known from then on, and is not requested again when others link to it.
"""

import msgspec

from hondius.native import Fetched, Identity, LinkPolicy, Page, QueuedUrl
from hondius.settings import ScopeSettings
from hondius.settings.media import HTML_TYPES

GUESSED_PATH = "/sitemap.xml"
REQUISITE = "requisite"


class Reading(msgspec.Struct, frozen=True):
    kind: str
    """page | sitemap | requisite"""
    page: Page | None = None


class Readings:
    def __init__(self, pages: LinkPolicy, identity: Identity, scope: ScopeSettings) -> None:
        self._pages = pages
        self._identity = identity
        self._fetches_requisites = scope.requisites
        self._page_types = scope.wanted_types()
        self._max_depth = scope.max_depth

    def classify(self, url: QueuedUrl, fetched: Fetched) -> Reading:
        page = fetched.page
        if self._fetches_requisites and self._is_requisite(url, fetched):
            return Reading(REQUISITE)
        if url.kind != "sitemap":
            return Reading("sitemap" if fetched.is_sitemap else "page", page)
        if page is None or self._pages.judge(url.href, url.discovered_at) is not None:
            return Reading("sitemap")
        # Many sites without a sitemap answer the guessed URL with their home page or an error page: its links are
        # followed, but it does not count as a page.
        is_guess = self._identity.parse(url.href).path_and_query == GUESSED_PATH
        return Reading("sitemap" if is_guess else "page", page)

    def _is_requisite(self, url: QueuedUrl, fetched: Fetched) -> bool:
        """A page that was taken for a requisite is read as a page if the scope includes it: otherwise anybody could
        hide a page of another host by naming it as an image."""
        if url.kind == "page":
            wanted = self._page_types
            return bool(wanted) and not fetched.is_sitemap and fetched.content_type not in wanted
        if url.kind != REQUISITE:
            return False
        is_deep = self._max_depth is not None and url.depth > self._max_depth
        is_html = fetched.content_type in HTML_TYPES
        return not is_html or is_deep or self._pages.judge(url.href, url.discovered_at) is not None
