"""The archived visits of a URL, and what each of them received."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hondius.crawler.translation import make_identity, product_token
from hondius.native import NativeError, Url
from hondius.opening import Crawl
from hondius.use.content.reading import Content, ContentReader
from hondius.use.replay.timestamps import format_stamp

Row = dict[str, Any]
REDIRECTS = range(300, 400)
NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class Visit:
    """One answer in the archive. `row` is what the catalog says about it."""

    url: str
    at: float
    status: int
    redirect_to: str | None
    row: Row

    @property
    def stamp(self) -> str:
        return format_stamp(self.at)

    @property
    def is_redirect(self) -> bool:
        return self.status in REDIRECTS and self.status != NOT_MODIFIED


class Visits:
    """Any thread may use it."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._identity = make_identity(crawl.settings)

    def parse(self, url: str) -> Url | None:
        """None if it is no URL of the web."""
        try:
            return self._identity.parse(url)
        except NativeError:
            return None

    def find_row(self, url: Url) -> Row | None:
        """What the catalog knows about the URL."""
        return self._crawl.catalog.page(url.key)

    def list(self, url: Url) -> list[Visit]:
        """The visits that are archived, oldest first."""
        page = self.find_row(url)
        if page is None:
            return []
        fetches = self._crawl.catalog.fetches(url.key)
        visits = [_make_visit(page, row) for row in fetches if row["warc_file"] is not None]
        return sorted((visit for visit in visits if visit.status), key=lambda visit: visit.at)

    def find(self, url: Url, at: float) -> Visit | None:
        """The visit nearest to a time: a page and what it needs were not fetched in the same second."""
        return find_nearest(self.list(url), at)

    def read(self, visit: Visit) -> Content:
        """Head and body. The body is empty if none was stored."""
        content = self._archive.read(visit.row)
        return content if content is not None else Content(self._archive.read_head(visit.row), b"")

    @cached_property
    def _archive(self) -> ContentReader:
        crawl = self._crawl
        agent, cap = product_token(crawl.settings), crawl.settings.fetch.page_cap
        return ContentReader(crawl.archive, crawl.catalog, self._identity, agent, cap)


def find_nearest(visits: Sequence[Visit], at: float) -> Visit | None:
    return min(visits, key=lambda visit: abs(visit.at - at), default=None)


def _make_visit(page: Row, row: Row) -> Visit:
    at = row["started_at"] if row["started_at"] is not None else row["ended_at"]
    described = row | {"url": page["url"], "kind": page["kind"]}
    return Visit(page["url"], at or 0.0, row["status"] or 0, row["redirect_to"], described)
