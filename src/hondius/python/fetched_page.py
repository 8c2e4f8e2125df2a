"""Where the parts of a page come from that was just fetched and is not archived yet: for hooks."""

from functools import cached_property

from hondius.crawler.translation import make_identity, product_token
from hondius.model import DeepText, Finished
from hondius.native import Fetched, Reader, parse_headers
from hondius.python.page import Page
from hondius.python.parts import Fetch, Link
from hondius.settings import Settings
from hondius.use.content import NO_TEXT, Row, extract_deep_text, has_deep_text, make_row_of_end


class FetchedPages:
    """Makes the pages that hooks of one crawl see. The body stays native until a hook asks for it."""

    def __init__(self, settings: Settings) -> None:
        self._cap = settings.fetch.page_cap
        self._reader = Reader(
            make_identity(settings),
            agent_token=product_token(settings),
            media=settings.scope.media,
            scripts=settings.scope.scripts,
            max_links=settings.fetch.max_links,
            want_text=True,
        )

    def make_page(self, end: Finished, fetched: Fetched) -> Page:
        row = make_row_of_end(end)
        return Page(row, FetchedPage(row, fetched, self._reader, self._cap))


class FetchedPage:
    """PageSource, for one answer."""

    def __init__(self, row: Row, fetched: Fetched, reader: Reader, cap: int) -> None:
        self._row = row
        self._fetched = fetched
        self._reader = reader
        self._cap = cap

    def read_headers(self) -> list[tuple[str, str]]:
        return parse_headers(self._fetched.head)

    def read_body(self) -> bytes | None:
        return self._body

    def read_text(self) -> str:
        return self._reader.read_archived(self._fetched.head, self._body or b"", url=self._row["url"]).text

    def read_deep_text(self) -> DeepText:
        if not has_deep_text(self._row):
            return NO_TEXT
        return extract_deep_text(self._reader, self._row, self._body or b"")

    def read_links(self) -> list[Link]:
        page = self._fetched.page
        return [] if page is None else [Link.of(link) for link in page.links]

    def read_history(self) -> list[Fetch]:
        """Nothing is recorded yet."""
        return []

    @cached_property
    def _body(self) -> bytes | None:
        return self._fetched.decode_body(self._cap)
