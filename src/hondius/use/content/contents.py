"""Everything that can be computed from the archived content of a page."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from hondius.crawler.translation import make_identity, product_token
from hondius.errors import HondiusError
from hondius.model import DeepText, State
from hondius.native import (
    EXTRACTION_VERSION,
    Extraction,
    FieldRules,
    FoundFields,
    Link,
    NativeError,
    Page,
    Ranks,
    Reader,
    parse_headers,
)
from hondius.opening import Crawl
from hondius.use.content.backlinks import find_linking_pages
from hondius.use.content.reading import Content, ContentReader, is_text
from hondius.use.content.rows import Row
from hondius.use.rank.stored import open_stored

NO_TEXT = DeepText("", "", '{"json_ld":[],"microdata":[],"rdfa":[],"open_graph":{}}')
"""The deep text of a page without content, or whose content is not text."""


class Contents:
    """The contents of the pages of one crawl. Nothing but the page in question is in memory."""

    def __init__(self, crawl: Crawl) -> None:
        settings = crawl.settings
        self._crawl = crawl
        self.identity = make_identity(settings)
        self._agent = product_token(settings)
        self._reader = Reader(
            self.identity,
            agent_token=self._agent,
            media=settings.scope.media,
            scripts=settings.scope.scripts,
            max_links=settings.fetch.max_links,
            want_text=True,
        )
        self._links = crawl.place.open_link_reader(identity=self.identity)

    def read(self, row: Row) -> Content | None:
        """None if nothing was fetched, or the body was not stored."""
        return self._archive.read(row)

    def find_original(self, row: Row, url: str) -> Row | None:
        """The fetch of `url` whose record has the body of a revisit; None if there is none."""
        return self._archive.find_original(row, url)

    def list_headers(self, row: Row) -> list[tuple[str, str]]:
        """The headers of its answer; those of a 304 itself. Empty if nothing was fetched."""
        return parse_headers(self._archive.read_head(row))

    def extract_text(self, row: Row, content: Content | None) -> str:
        """The whole text of a page; empty if it has none."""
        if content is None or not is_text(row):
            return ""
        return self._reader.read_archived(content.head, content.body, url=row["url"]).text

    def analyse(self, row: Row) -> Page | None:
        """Analyses a page again, as the crawl did when it was fetched: headings, text, main text. None if it has no
        stored text."""
        if not is_text(row) or (content := self.read(row)) is None:
            return None
        return self._reader.read_archived(content.head, content.body, url=row["url"])

    def extract_deep_text(self, row: Row, content: Content | None = None) -> DeepText:
        """Reads the stored deep text, or makes and stores it. `content`: of this page, if it was read already."""
        if not has_deep_text(row):
            return NO_TEXT
        key, content_hash = row["key"], row["content_hash"] or b""
        stored = self._crawl.deep_texts.get(key, content_hash, EXTRACTION_VERSION) if content_hash else None
        if stored is not None:
            return stored
        if (content := content or self.read(row)) is None:
            return NO_TEXT  # not stored: the original of a copy may be found later
        made = extract_deep_text(self._reader, row, content.body)
        if content_hash:
            self._crawl.deep_texts.put(key, content_hash, EXTRACTION_VERSION, made)
        return made

    def find_fields(self, row: Row, rules: FieldRules) -> FoundFields | None:
        """What rules find on a page; None for what is no page of text, or has no stored body."""
        if not has_deep_text(row) or (content := self.read(row)) is None:
            return None
        return rules.apply(self._reader, content.body, url=row["url"], content_type=make_content_type(row))

    def list_links(self, row: Row) -> Sequence[Link]:
        """From the link segments; if they are not stored there, or cannot be read, from the archived page."""
        if row["links_file"] is not None:
            try:
                return self._links.read(row["links_file"], row["links_offset"], row["links_index"]).links
            except HondiusError:
                pass
        if not is_text(row) or (content := self.read(row)) is None:
            return []
        return self._reader.read_archived(content.head, content.body, url=row["url"]).links

    def find_linking_pages(self, key: bytes) -> Iterator[Row]:
        """Rows of the pages that link to a URL, read as they are asked for."""
        return find_linking_pages(self._crawl, key, self._links, self.list_links)

    def find_rank(self, key: bytes) -> tuple[float, float] | None:
        """The stored page rank and its percentile; None if it was not computed."""
        return None if self._ranks is None else self._ranks.page(key)

    @cached_property
    def _ranks(self) -> Ranks | None:
        return open_stored(self._crawl)

    def list_fetches(self, row: Row) -> list[Row]:
        return self._crawl.catalog.fetches(row["key"])

    @cached_property
    def _archive(self) -> ContentReader:
        """Opened on first use: a crawl that has just started has no catalog yet."""
        crawl, page_cap = self._crawl, self._crawl.settings.fetch.page_cap
        return ContentReader(crawl.archive, crawl.catalog, self.identity, self._agent, page_cap)


def has_deep_text(row: Row) -> bool:
    """Whether it is a text page whose analysis succeeded."""
    return is_text(row) and row["kind"] == "page" and row["state"] in (State.COMPLETED, State.DUPLICATE)


def extract_deep_text(reader: Reader, row: Row, body: bytes) -> DeepText:
    """The deep pass over one page. Its charset is known from the first pass."""
    try:
        deep = Extraction(reader, body, url=row["url"], content_type=make_content_type(row))
    except NativeError as error:
        raise HondiusError(f"the main text of {row['url']} cannot be extracted: {error}") from error
    return DeepText(deep.main_text, deep.markdown, deep.structured_data)


def make_content_type(row: Row) -> str:
    """With the charset that the first pass found."""
    return f"{row['type']}; charset={row['charset']}" if row["charset"] else str(row["type"])
