"""The rows of `links`: from the link segments, block by block; from the archive where a block is missing or damaged."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Any

from hondius.errors import HondiusError
from hondius.native import Link, NativeError
from hondius.opening import Crawl
from hondius.ports import LinkReader
from hondius.use.content import Contents

_HOSTS = 100_000
"""Origins whose host is remembered."""
_AFTER_SCHEME = len("https://")


def list_links(crawl: Crawl) -> Iterator[dict[str, Any]]:
    contents = Contents(crawl)
    reader = crawl.place.open_link_reader(identity=contents.identity)
    find_host = _make_host_finder(contents)
    for file in crawl.catalog.link_segments():
        places = crawl.catalog.list_link_locations(file)
        for offset, pages in groupby(places, lambda place: place[0]):
            listed = [(index, key, url) for _, index, key, url in pages]
            yield from _list_block(crawl, contents, reader, file, offset, listed, find_host)
    for row in crawl.catalog.pages_without_links():
        yield from _make_rows(row["key"], row["url"], _read_archived(contents, row), find_host)


def _list_block(
    crawl: Crawl,
    contents: Contents,
    reader: LinkReader,
    file: str,
    offset: int,
    listed: list[tuple[int, bytes, str]],
    find_host: Callable[[str], str | None],
) -> Iterator[dict[str, Any]]:
    """`listed`: index, key and URL of each page whose links are in this block."""
    try:
        block = reader.read_block(file, offset)
    except HondiusError:
        block = []
    for index, key, url in listed:
        if index < len(block):
            links: Iterable[Link] = block[index].links
        else:
            row = crawl.catalog.page(key)
            links = () if row is None else _read_archived(contents, row)
        yield from _make_rows(key, url, links, find_host)


def _read_archived(contents: Contents, row: dict[str, Any]) -> Iterable[Link]:
    """A page that cannot be read has no links here; the others keep theirs."""
    try:
        return contents.list_links(row)
    except HondiusError:
        return ()


def _make_rows(
    key: bytes, url: str, links: Iterable[Link], find_host: Callable[[str], str | None]
) -> Iterator[dict[str, Any]]:
    source = {"source_url": url, "source_key": key.hex(), "source_host": find_host(url)}
    for position, link in enumerate(links):
        yield source | {
            "target_url": link.href,
            "target_key": link.key.hex(),
            "target_host": find_host(link.href),
            "anchor": link.anchor,
            "rel": link.rel,
            "kind": link.kind,
            "position": position,
        }


def _make_host_finder(contents: Contents) -> Callable[[str], str | None]:
    """Hrefs are normalised, so everything before the third slash is the origin; few origins have most links."""

    @lru_cache(_HOSTS)
    def parse_origin(origin: str) -> str | None:
        try:
            return contents.identity.parse(f"{origin}/").host
        except NativeError:
            return None

    def find_host(href: str) -> str | None:
        end = href.find("/", _AFTER_SCHEME)
        return parse_origin(href if end < 0 else href[:end])

    return find_host
