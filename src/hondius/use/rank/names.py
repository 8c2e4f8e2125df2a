"""Finds the URLs of keys: of pages in the catalog, of targets of redirects, and of links."""

from collections.abc import Iterator, Sequence

from hondius.crawler.kept_edges import REDIRECTS
from hondius.crawler.translation import make_identity
from hondius.errors import HondiusError
from hondius.native import NativeError, find_targets
from hondius.opening import Crawl


def find_urls(crawl: Crawl, keys: Sequence[bytes]) -> dict[bytes, tuple[str, str]]:
    """URL and state of each key; the state of a page that has not ended is empty. Reads link segments until all are
    found: a page with a high rank has many links, so that is soon."""
    found: dict[bytes, tuple[str, str]] = {}
    for key in keys:
        if (row := crawl.catalog.page(key)) is not None:
            found[key] = row["url"], str(row["state"])
    missing = set(keys) - found.keys()
    for key, href in _list_names(crawl, missing):
        found.setdefault(key, (href, ""))
        missing.discard(key)
        if not missing:
            break
    return found


def _list_names(crawl: Crawl, missing: set[bytes]) -> Iterator[tuple[bytes, str]]:
    """`missing` shrinks while this is read."""
    if not missing:
        return
    identity = make_identity(crawl.settings)
    reader = crawl.place.open_link_reader(identity=identity)
    for file in crawl.catalog.link_segments():
        last = -1
        for offset, _, _, _ in crawl.catalog.list_link_locations(file):
            if offset == last:
                continue
            last = offset
            try:
                yield from find_targets(reader.read_packed(file, offset), list(missing), identity)
            except (HondiusError, NativeError):
                continue
    for row in crawl.catalog.pages(REDIRECTS):
        try:
            target = identity.parse(row["redirect_to"] or "")
        except NativeError:
            continue
        if target.key in missing:
            yield target.key, target.href
