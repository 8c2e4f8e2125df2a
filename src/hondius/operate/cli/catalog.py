"""The catalog of a crawl, opened to be read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hondius.crawler.directory import open_settings
from hondius.errors import BrokenView
from hondius.stores.catalog.embedded import EmbeddedCatalog


@contextmanager
def opened_catalog(directory: Path) -> Iterator[EmbeddedCatalog]:
    open_settings(directory)
    path = directory / "crawl.db"
    if not path.is_file():
        raise BrokenView(path, "is missing")
    catalog = EmbeddedCatalog.open(path, read_only=True)
    try:
        yield catalog
    finally:
        catalog.close()
