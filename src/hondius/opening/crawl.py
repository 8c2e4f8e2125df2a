"""A crawl, open for reading."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cached_property
from pathlib import Path

from hondius.crawler.crawl_settings import open_settings
from hondius.opening.places import place_of
from hondius.ports import (
    ArchiveReader,
    Attempts,
    Catalog,
    Consumers,
    DeepTexts,
    Log,
    Orders,
    Place,
    SearchIndex,
    UrlStore,
)


class Crawl:
    """Read access to a crawl. Everything but `open_idle_urls` also works while the crawl runs."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.settings = open_settings(place)
        self._opened = ExitStack()

    @property
    def name(self) -> str:
        """The name as the user gave it, for messages."""
        return self.place.name

    @cached_property
    def catalog(self) -> Catalog:
        """Raises BrokenView if the catalog must be rebuilt first."""
        catalog = self.place.open_catalog()
        self._opened.callback(catalog.close)
        return catalog

    @cached_property
    def log(self) -> Log:
        """A snapshot: frames appended later are not read. Raises BrokenLog if the log is damaged."""
        log = self.place.open_log(read_only=True)
        self._opened.callback(log.close)
        return log

    @cached_property
    def archive(self) -> ArchiveReader:
        return self.place.open_reader()

    @cached_property
    def deep_texts(self) -> DeepTexts:
        texts = self.place.open_deep_texts()
        self._opened.callback(texts.close)
        return texts

    @cached_property
    def consumers(self) -> Consumers:
        return self.place.open_consumers()

    @cached_property
    def search_index(self) -> SearchIndex:
        """Needs the optional package tantivy."""
        index = self.place.open_search_index()
        self._opened.callback(index.close)
        return index

    @property
    def attempts(self) -> Attempts:
        return self.place.attempts()

    @property
    def orders(self) -> Orders:
        return self.place.orders()

    def open_idle_urls(self) -> AbstractContextManager[UrlStore]:
        """The URL store of a crawl that is not running; holds the lock. Raises UrlStoreUnavailable."""
        from hondius.opening.url_store import open_idle_urls

        return open_idle_urls(self.place, self.settings)

    def open_scratch_catalog(self) -> AbstractContextManager[Catalog]:
        """An empty, temporary catalog to apply frames to."""
        return self.place.open_scratch_catalog()

    def close(self) -> None:
        self._opened.close()


@contextmanager
def open_crawl(name: Path) -> Iterator[Crawl]:
    """Raises BadDirectory if there is no crawl."""
    crawl = Crawl(place_of(name))
    try:
        yield crawl
    finally:
        crawl.close()
