"""Finds the pages that link to a URL."""

from collections.abc import Callable, Iterator, Sequence

from hondius.errors import Broken, HondiusError
from hondius.hints import quote_command
from hondius.native import Link, PageLinks
from hondius.opening import Crawl
from hondius.ports import LinkReader
from hondius.use.content.rows import Row


def find_linking_pages(
    crawl: Crawl, key: bytes, links: LinkReader, list_links: Callable[[Row], Sequence[Link]]
) -> Iterator[Row]:
    """Reads all segments, one block at a time, then the archive for pages whose links are in no segment. No query of
    the catalog stays open between two rows. Raises Broken if a segment is damaged: rows would be missing."""
    for file, length in crawl.catalog.link_segments().items():
        for offset, pages in _scan(crawl, links, file, length):
            for index, page in enumerate(pages):
                if page.has_link_to(key) and (row := _find_row(crawl, page.key, (file, offset, index))):
                    yield row
    for row in crawl.catalog.pages_without_links():
        if any(link.key == key for link in list_links(row)):
            yield row


def _scan(crawl: Crawl, links: LinkReader, file: str, length: int) -> Iterator[tuple[int, list[PageLinks]]]:
    try:
        yield from links.scan(file, length)
    except HondiusError as error:
        again = f"run {quote_command('rebuild', crawl.name)}, which reads its links again from the archive"
        raise Broken(f"not all links can be read ({error}): {again}") from error


def _find_row(crawl: Crawl, key: bytes, place: tuple[str, int, int]) -> Row | None:
    """None if the links are those of an earlier fetch of the page."""
    row = crawl.catalog.page(key)
    is_current = row is not None and (row["links_file"], row["links_offset"], row["links_index"]) == place
    return row if is_current else None
