"""Opens the URL stores of a crawl directory: one, or one for each partition."""

from contextlib import ExitStack
from pathlib import Path

from hondius.native import HostLimits
from hondius.ports import UrlStore
from hondius.stores.urls.embedded import open_urls
from hondius.stores.urls.partitioned import PartitionedUrlStore


def list_store_paths(path: Path, partitions: int) -> list[Path]:
    """The paths of the stores, in the order of their partitions."""
    return [path] if partitions == 1 else [path / f"{number:05}" for number in range(partitions)]


def open_all_urls(
    path: Path, partitions: int, *, capacity: int, memory: int, limits: HostLimits | None = None
) -> UrlStore:
    """The stores share `memory`. If one cannot be opened, the others are closed."""
    if partitions == 1:
        return open_urls(path, capacity=capacity, memory=memory, limits=limits)
    path.mkdir(exist_ok=True)
    with ExitStack() as opened:
        stores = []
        for number, place in enumerate(list_store_paths(path, partitions)):
            store = open_urls(
                place,
                capacity=capacity // partitions + 1,
                memory=memory // partitions,
                limits=limits,
                share=(number, partitions),
            )
            opened.callback(store.close)
            stores.append(store)
        opened.pop_all()
        return PartitionedUrlStore(stores)
