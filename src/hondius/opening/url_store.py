"""The URL store of a crawl that is not running. A running crawl owns its URL store exclusively."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from hondius.errors import BadDirectory, BrokenView, DirectoryInUse, HondiusError
from hondius.hints import quote_command
from hondius.native import NativeError
from hondius.ports import Place, UrlStore
from hondius.settings import Settings

INSTEAD = "catalog and log were used instead"


class UrlStoreUnavailable(HondiusError):
    """The message says why the URL store cannot be read, and what to do about it."""


@contextmanager
def open_idle_urls(place: Place, settings: Settings) -> Iterator[UrlStore]:
    """Holds the crawl's lock. The store may lag behind the log. Changes made to it are not saved."""
    if not place.is_writable:
        raise UrlStoreUnavailable(f"the URL store cannot be opened in a read-only directory: {INSTEAD}")
    try:
        lock = place.lock()
    except DirectoryInUse:
        raise UrlStoreUnavailable(f"the crawl is running and has the URL store to itself: {INSTEAD}") from None
    except BadDirectory as error:
        raise UrlStoreUnavailable(f"the URL store was not used: {error}") from None
    with lock:
        store = _open_store(place, settings)
        try:
            yield store
        finally:
            with suppress(NativeError):  # frames it applied need not be saved
                store.close()


def _open_store(place: Place, settings: Settings) -> UrlStore:
    stores = settings.stores
    try:
        return place.open_urls(capacity=stores.expected_urls, memory=stores.store_memory, must_exist=True)
    except BrokenView as broken:
        again = f"{quote_command('rebuild', place.name)} rebuilds it"
        raise UrlStoreUnavailable(f"the URL store {broken.reason}: {again}") from broken
    except HondiusError as error:
        raise UrlStoreUnavailable(f"the URL store was not used: {error}") from error
