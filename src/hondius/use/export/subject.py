"""A page that is exported. Its content is read from the archive on first use."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from hondius.errors import HondiusError
from hondius.model import DeepText, State
from hondius.native import NativeError
from hondius.use.content import Content, Contents, Row, has_deep_text, is_text

ANALYSED = (State.COMPLETED, State.DUPLICATE)


def is_page_of_text(page: Row) -> bool:
    """Not a sitemap, a redirect, a failure or a file that is no page."""
    return page["kind"] == "page" and page["state"] in ANALYSED


@dataclass(frozen=True, slots=True)
class Body:
    data: bytes
    text: str | None
    """None if it is not text, or of an unknown encoding."""

    def __len__(self) -> int:
        return len(self.data)


class Subject:
    """A damaged record affects only its own row, which then has no content."""

    def __init__(self, page: Row, contents: Contents | None) -> None:
        """`contents` is None if only columns of the catalog are read."""
        self.page = page
        self.is_damaged = False
        self._contents = contents

    @cached_property
    def content(self) -> Content | None:
        """None also if the body was not stored."""
        try:
            return None if self._contents is None else self._contents.read(self.page)
        except HondiusError:
            self.is_damaged = True
            return None

    @property
    def text(self) -> str | None:
        """None for what is not text, and for a page whose analysis failed."""
        if not is_text(self.page) or self.page["state"] not in ANALYSED or self.content is None:
            return None
        assert self._contents is not None
        return self._contents.extract_text(self.page, self.content)

    def deep_text(self, name: Literal["main_text", "markdown"]) -> str | None:
        deep = self._deep
        return None if deep is None else deep.main_text if name == "main_text" else deep.markdown

    @property
    def structured(self) -> bytes | None:
        return None if self._deep is None else self._deep.structured.encode()

    @cached_property
    def rank(self) -> tuple[float | None, float | None]:
        """Page rank and percentile, if `hondius rank` has computed them."""
        if self._contents is None or self.page["kind"] != "page":
            return None, None
        try:
            return self._contents.find_rank(self.page["key"]) or (None, None)
        except NativeError:
            return None, None

    @cached_property
    def _deep(self) -> DeepText | None:
        """None for what is no page of text."""
        if self._contents is None or not has_deep_text(self.page):
            return None
        try:
            return self._contents.extract_deep_text(self.page, self.__dict__.get("content"))
        except HondiusError:
            self.is_damaged = True
            return None
