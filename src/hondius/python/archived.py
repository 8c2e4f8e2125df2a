"""Where the parts of a page of a crawl come from: archive, link segments, catalog."""

from functools import cached_property

from hondius.model import DeepText
from hondius.python.page import Page
from hondius.python.parts import Fetch, Link
from hondius.use.content import Content, Contents, Row


class ArchivedPage:
    """PageSource, for one row. It holds the body once it was read."""

    def __init__(self, row: Row, contents: Contents) -> None:
        self._row = row
        self._contents = contents

    def read_headers(self) -> list[tuple[str, str]]:
        return self._contents.list_headers(self._row)

    def read_body(self) -> bytes | None:
        return None if self._content is None else self._content.body

    def read_text(self) -> str:
        return self._contents.extract_text(self._row, self._content)

    def read_deep_text(self) -> DeepText:
        """Does not read the body if the result is stored."""
        content: Content | None = self.__dict__.get("_content")
        return self._contents.extract_deep_text(self._row, content)

    def read_links(self) -> list[Link]:
        return [Link.of(link) for link in self._contents.list_links(self._row)]

    def read_history(self) -> list[Fetch]:
        return [Fetch.of(row) for row in self._contents.list_fetches(self._row)]

    @cached_property
    def _content(self) -> Content | None:
        return self._contents.read(self._row)


def make_page(row: Row, contents: Contents) -> Page:
    return Page(row, ArchivedPage(row, contents))
