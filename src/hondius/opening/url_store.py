"""The URL store of a crawl that rests. It has one owner: where a crawl runs, nobody else can ask it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from hondius.advice import command
from hondius.errors import BadDirectory, BrokenView, DirectoryInUse, HondiusError
from hondius.native import NativeError
from hondius.ports import Place, UrlStore
from hondius.settings import Settings

INSTEAD = "catalog and log were asked instead"


class UrlStoreUnavailable(HondiusError):
    """Why the URL store cannot be asked, and what to do about it."""


@contextmanager
def resting_urls(place: Place, settings: Settings) -> Iterator[UrlStore]:
    """Holds the lock meanwhile. It may lag behind the log. What is applied to it or taken from it is not kept."""
    if not place.is_writable:
        raise UrlStoreUnavailable(f"the URL store cannot be opened where nothing can be written: {INSTEAD}")
    try:
        lock = place.lock()
    except DirectoryInUse:
        raise UrlStoreUnavailable(f"the crawl is running and has the URL store to itself: {INSTEAD}") from None
    except BadDirectory as error:
        raise UrlStoreUnavailable(f"the URL store was not asked: {error}") from None
    with lock:
        store = _opened(place, settings)
        try:
            yield store
        finally:
            with suppress(NativeError):  # what it had to apply first need not be kept
                store.close()


def _opened(place: Place, settings: Settings) -> UrlStore:
    stores = settings.stores
    try:
        return place.open_urls(capacity=stores.expected_urls, memory=stores.store_memory, must_exist=True)
    except BrokenView as broken:
        again = f"{command('rebuild', place.name)} makes it anew"
        raise UrlStoreUnavailable(f"the URL store {broken.reason}: {again}") from broken
    except HondiusError as error:
        raise UrlStoreUnavailable(f"the URL store was not asked: {error}") from error
