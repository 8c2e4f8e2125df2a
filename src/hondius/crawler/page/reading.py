"""Decides whether an answer counts as a page or as a sitemap. The engine's threads have analysed both.

A URL that was taken for a sitemap may lead to a page (D2), and a seed may lead to a sitemap or a feed (D1). The URL is
known from then on, and is not requested again when others link to it.
"""

import msgspec

from hondius.native import Fetched, Identity, LinkPolicy, Page, QueuedUrl

GUESSED_PATH = "/sitemap.xml"


class Reading(msgspec.Struct, frozen=True):
    kind: str
    """page | sitemap"""
    page: Page | None = None


class Readings:
    def __init__(self, pages: LinkPolicy, identity: Identity) -> None:
        self._pages = pages
        self._identity = identity

    def classify(self, url: QueuedUrl, fetched: Fetched) -> Reading:
        page = fetched.page
        if url.kind != "sitemap":
            return Reading("sitemap" if fetched.is_sitemap else "page", page)
        if page is None or self._pages.judge(url.href, url.discovered_at) is not None:
            return Reading("sitemap")
        # Many sites without a sitemap answer the guessed URL with their home page or an error page: its links are
        # followed, but it does not count as a page.
        is_guess = self._identity.parse(url.href).path_and_query == GUESSED_PATH
        return Reading("sitemap" if is_guess else "page", page)
