"""What an answer counts as: a page, or a sitemap. Both were read on the engine's threads, which also tell them apart.

A URL that was taken for a sitemap may lead to a page (D2), and a seed to a sitemap or a feed (D1): the URL is known,
whoever else links to it, and is not asked for again.
"""

import msgspec

from hondius.native import Fetched, Identity, LinkPolicy, Page, QueuedUrl

GUESSED_PATH = "/sitemap.xml"


class Reading(msgspec.Struct, frozen=True):
    kind: str
    """page | sitemap: what it counts as."""
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
        # Where nobody named a sitemap, many sites answer with their home page or an excuse: its links are as good as
        # any, but it is no page of its own.
        is_guess = self._identity.parse(url.href).path_and_query == GUESSED_PATH
        return Reading("sitemap" if is_guess else "page", page)
