"""A crawl, open for reading."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cached_property
from pathlib import Path

from hondius.crawler.directory import open_settings
from hondius.opening.places import place_of
from hondius.ports import ArchiveReader, Attempts, Catalog, Log, Orders, Place, UrlStore


class Crawl:
    """Everything here reads, and may be used beside a running crawl; but for `resting_urls`."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.settings = open_settings(place)
        self._opened = ExitStack()

    @property
    def name(self) -> str:
        """As the user named it, for messages."""
        return self.place.name

    @cached_property
    def catalog(self) -> Catalog:
        """BrokenView: it has to be made anew first."""
        catalog = self.place.open_catalog()
        self._opened.callback(catalog.close)
        return catalog

    @cached_property
    def log(self) -> Log:
        """As it is now: frames that are appended later are not read. BrokenLog: it is damaged."""
        log = self.place.open_log(read_only=True)
        self._opened.callback(log.close)
        return log

    @cached_property
    def archive(self) -> ArchiveReader:
        return self.place.open_reader()

    @property
    def attempts(self) -> Attempts:
        return self.place.attempts()

    @property
    def orders(self) -> Orders:
        return self.place.orders()

    def resting_urls(self) -> AbstractContextManager[UrlStore]:
        """The URL store of a crawl that does not run, with the lock held; `url_store.py` says when not."""
        from hondius.opening.url_store import resting_urls

        return resting_urls(self.place, self.settings)

    def scratch_catalog(self) -> AbstractContextManager[Catalog]:
        """An empty catalog to fold frames into, which is gone at the end."""
        return self.place.open_scratch_catalog()

    def close(self) -> None:
        self._opened.close()


@contextmanager
def open_crawl(name: Path) -> Iterator[Crawl]:
    """BadDirectory: there is no crawl."""
    crawl = Crawl(place_of(name))
    try:
        yield crawl
    finally:
        crawl.close()
