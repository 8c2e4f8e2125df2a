"""UrlStore, of several partitions: a native store for each.

A URL belongs to the partition of its registrable domain, and so do its queue, its seen row and the budgets of its host.
Every store gets all links and takes its own. The number of an origin contains its partition: it is the number in its
store, times the number of partitions, plus the partition. So numbers stay small, as the frontier needs them.

A query with only a key goes to each store in turn, unless the URL is handed out: then its partition is known.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from heapq import merge
from itertools import islice
from typing import Any

from hondius.native import (
    Discoveries,
    Fetched,
    LinkPolicy,
    Listing,
    NativeError,
    Page,
    QueuedUrl,
    RankFactors,
    UrlStore,
    decode_discoveries,
    partition_of_url,
)


class PartitionedUrlStore:
    def __init__(self, stores: Sequence[UrlStore]) -> None:
        """`stores` in the order of their partitions, each opened for its share."""
        self._stores = stores
        self._leases: dict[bytes, int] = {}
        """The partitions of URLs that are handed out. The thread that applies frames removes ended ones."""

    @property
    def applied(self) -> int:
        return sum(store.applied for store in self._stores)

    @property
    def sequences(self) -> tuple[int, ...]:
        return tuple(store.applied for store in self._stores)

    def saved(self) -> int:
        return sum(store.saved() for store in self._stores)

    def belong_to(self, log: int) -> None:
        for store in self._stores:
            store.belong_to(log)

    def admit(self, urls: Sequence[tuple[str, bytes]], policy: LinkPolicy | None, **more: Any) -> Discoveries:
        return self._admit(lambda store: store.admit(urls, policy, **more))

    def admit_links(self, fetched: Fetched, policy: LinkPolicy, **more: Any) -> Discoveries:
        return self._admit(lambda store: store.admit_links(fetched, policy, **more))

    def admit_requisites(self, fetched: Fetched, policy: LinkPolicy, **more: Any) -> Discoveries:
        return self._admit(lambda store: store.admit_requisites(fetched, policy, **more))

    def admit_archived(self, page: Page, source: bytes, policy: LinkPolicy, **more: Any) -> Discoveries:
        return self._admit(lambda store: store.admit_archived(page, source, policy, **more))

    def admit_listed(self, fetched: Fetched, listed: str, policy: LinkPolicy, **more: Any) -> Discoveries | None:
        return self._admit_piece(lambda store: store.admit_listed(fetched, listed, policy, **more))

    def admit_archived_listing(
        self, listing: Listing, source: bytes, listed: str, policy: LinkPolicy, **more: Any
    ) -> Discoveries | None:
        return self._admit_piece(lambda store: store.admit_archived_listing(listing, source, listed, policy, **more))

    def forget_pending(self, discoveries: Sequence[bytes], refused: Sequence[tuple[str, bytes, str]] = ()) -> None:
        """Each blob belongs to one partition: that of its first URL."""
        blobs: dict[int, list[bytes]] = defaultdict(list)
        for blob in filter(None, discoveries):
            blobs[self._find_partition(decode_discoveries(blob)[0].href)].append(blob)
        ends: dict[int, list[tuple[str, bytes, str]]] = defaultdict(list)
        for end in refused:
            ends[self._find_partition(end[0])].append(end)
        for partition in blobs.keys() | ends.keys():
            self._stores[partition].forget_pending(blobs[partition], ends[partition])

    def apply(
        self,
        sequence: int,
        discoveries: Sequence[bytes],
        finished: Sequence[tuple[bytes, bytes | None]],
        visits: Sequence[tuple[bytes, str, str, bytes | None, bool]] = (),
        depths: Sequence[int] = (),
        reread: Sequence[tuple[int, bytes]] = (),
        reprioritised: Sequence[bytes] = (),
        partition: int = 0,
    ) -> list[tuple[int, int]]:
        woken = self._stores[partition].apply(
            sequence, discoveries, finished, visits, depths, reread, reprioritised, partition
        )
        for key, _ in finished:
            self._leases.pop(key, None)
        return self._number_origins(woken, partition)

    def rerank(
        self, factors: RankFactors, cursor: tuple[int, int, int] = (0, 0, 0), most: int = 10_000
    ) -> tuple[bytes, int, tuple[int, int, int] | None]:
        """One partition after the other: an event belongs to one."""
        number, row, chunk = cursor
        partition, own = self._locate_origin(number)
        data, count, following = self._stores[partition].rerank(factors, (own, row, chunk), most)
        if following is not None:
            return data, count, (following[0] * len(self._stores) + partition, *following[1:])
        return data, count, (partition + 1, 0, 0) if partition + 1 < len(self._stores) else None

    def read_ahead(self, urls: Sequence[tuple[str, bytes]], found_on: str | None = None) -> None:
        for partition, some in self._group_by_partition(urls, lambda url: self._find_partition(url[0])).items():
            self._stores[partition].read_ahead(some, found_on)

    def handle(self) -> None:
        """Links of pages are not read ahead: that works for one store only."""
        return

    def closest(self, url: QueuedUrl) -> QueuedUrl:
        return self._find_store(url.href).closest(url)

    def rereads(self, depth: int, most: int) -> list[tuple[int, bytes]]:
        return list(islice(merge(*(store.rereads(depth, most) for store in self._stores)), most))

    def state(self, key: bytes) -> str | None:
        return next((state for store in self._stores if (state := store.state(key)) is not None), None)

    def depths(self, keys: Sequence[bytes]) -> list[int | None]:
        """Each URL is known to one store at most."""
        answers = zip(*(store.depths(keys) for store in self._stores), strict=True)
        return [next((depth for depth in depths if depth is not None), None) for depths in answers]

    def find(self, key: bytes) -> int | None:
        """The partition of a known URL, otherwise None."""
        known = enumerate(self._stores)
        leased = self._leases.get(key)
        return next((part for part, store in known if store.state(key) is not None), None) if leased is None else leased

    def same_content(self, content_hash: bytes, but_not: bytes) -> bytes | None:
        """Copies are recognised across partitions."""
        firsts = (store.same_content(content_hash, but_not) for store in self._stores)
        return next((first for first in firsts if first is not None), None)

    def remember_content(self, content_hash: bytes, key: bytes) -> None:
        self._stores[self.find(key) or 0].remember_content(content_hash, key)

    def forget_content(self, content_hash: bytes, key: bytes) -> None:
        for store in self._stores:
            store.forget_content(content_hash, key)

    def origins(self, max_depth: int | None = None) -> list[tuple[int, int]]:
        known = (self._number_origins(store.origins(max_depth), part) for part, store in enumerate(self._stores))
        return [origin for origins in known for origin in origins]

    def origin(self, number: int) -> str | None:
        partition, own = self._locate_origin(number)
        return self._stores[partition].origin(own)

    def number(self, origin: str) -> int | None:
        partition = self._find_partition(f"{origin}/")
        own = self._stores[partition].number(origin)
        return None if own is None else own * len(self._stores) + partition

    def expect(self, origin: int, *, max_depth: int | None = None) -> None:
        partition, own = self._locate_origin(origin)
        self._stores[partition].expect(own, max_depth=max_depth)

    def take(self, origin: int, count: int, *, max_depth: int | None = None) -> list[QueuedUrl]:
        partition, own = self._locate_origin(origin)
        urls = self._stores[partition].take(own, count, max_depth=max_depth)
        for url in urls:
            self._leases[url.key] = partition
        return urls

    def take_url(self, key: bytes) -> QueuedUrl | None:
        for partition, store in enumerate(self._stores):
            if (url := store.take_url(key)) is not None:
                self._leases[key] = partition
                return url
        return None

    def give_back(self, keys: Sequence[bytes]) -> None:
        leases = ((key, self._leases.pop(key, None)) for key in keys)
        leased = [(key, partition) for key, partition in leases if partition is not None]
        for partition, some in self._group_by_partition(leased, lambda lease: lease[1]).items():
            self._stores[partition].give_back([key for key, _ in some])

    def queued(self, origin: int) -> int:
        partition, own = self._locate_origin(origin)
        return self._stores[partition].queued(own)

    def worth(self, href: str, key: bytes, *, foreign: bool = False) -> str | None:
        return self._find_store(href).worth(href, key, foreign=foreign)

    def is_foreign(self, key: bytes) -> bool:
        return any(store.is_foreign(key) for store in self._stores)

    def is_wanted(self, host: str) -> bool:
        return any(store.is_wanted(host) for store in self._stores)

    def is_own(self, host: str) -> bool:
        return any(store.is_own(host) for store in self._stores)

    def facts(self, href: str) -> dict[str, int | str]:
        return self._find_store(href).facts(href)

    def counts(self) -> dict[str, int]:
        counts = [store.counts() for store in self._stores]
        return {name: sum(some[name] for some in counts) for name in counts[0]}

    def close(self) -> None:
        """Closes all stores, even if one cannot be saved."""
        failure: NativeError | None = None
        for store in self._stores:
            try:
                store.close()
            except NativeError as error:
                failure = failure or error
        if failure is not None:
            raise failure

    def _admit(self, admit: Callable[[UrlStore], Discoveries]) -> Discoveries:
        """If a store fails, undoes the admissions of the others: nobody would queue them."""
        parts: list[tuple[int, Discoveries]] = []
        try:
            for partition, store in enumerate(self._stores):
                parts.append((partition, admit(store)))
        except BaseException:
            for partition, found in parts:
                self._stores[partition].forget_pending(found.blobs, found.refused)
            raise
        return Discoveries.merged(parts)

    def _admit_piece(self, admit: Callable[[UrlStore], Discoveries | None]) -> Discoveries | None:
        """If one store returns None, all do: the piece is chosen before it is divided among partitions."""
        first = admit(self._stores[0])
        if first is None:
            return None

        def piece(store: UrlStore) -> Discoveries:
            found = first if store is self._stores[0] else admit(store)
            assert found is not None
            return found

        return self._admit(piece)

    def _find_store(self, href: str) -> UrlStore:
        return self._stores[self._find_partition(href)]

    def _find_partition(self, href: str) -> int:
        return partition_of_url(href, len(self._stores))

    def _locate_origin(self, number: int) -> tuple[int, int]:
        """The partition of an origin, and its number there."""
        own, partition = divmod(number, len(self._stores))
        return partition, own

    def _number_origins(self, origins: Iterable[tuple[int, int]], partition: int) -> list[tuple[int, int]]:
        return [(own * len(self._stores) + partition, row) for own, row in origins]

    @staticmethod
    def _group_by_partition(items: Iterable[Any], partition_of: Callable[[Any], int]) -> dict[int, list[Any]]:
        groups: dict[int, list[Any]] = defaultdict(list)
        for item in items:
            groups[partition_of(item)].append(item)
        return groups
