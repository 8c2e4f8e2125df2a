"""The computer of a simulated crawl: its disk, its views, and what a power cut does to them."""

import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import apsw

from hondius import native
from hondius.crawler.translation import make_limits
from hondius.native import HostLimits, MemoryTree
from hondius.ports import Place, UrlStore
from hondius.settings import Settings
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.simulated import SimulatedDisk
from hondius.stores.factory import EmbeddedPlace
from hondius.stores.near.index import NearCopyIndex, make_index
from hondius.stores.urls.partitioned import PartitionedUrlStore

FILTER_CAPACITY = 2_000
HOT_KEYS = 256


class Machine:
    """`directory` contains only the catalog: it is real SQLite, in memory-backed files."""

    def __init__(self, directory: Path, settings: Settings, chance: Random, partitions: int = 1) -> None:
        self._directory = directory
        self._settings = settings
        self._chance = chance
        self.partitions = partitions
        """Partitions of the crawl's log."""
        self._trees = [MemoryTree() for _ in range(partitions)]
        self._urls: UrlStore | None = None
        self._catalog: EmbeddedCatalog | None = None
        self.disk = SimulatedDisk()

    @property
    def place(self) -> Place:
        return MachinePlace(self._directory, self)

    def die(self, *, killed: bool) -> None:
        """Ends the process. Its writes stay, except for rows that a killed URL store had only in memory. Leftovers of
        the process can no longer change anything."""
        self.disk = self.disk.restarted()
        if killed:
            self._lose_rows()
        self._close_views()

    def lose_power(self) -> None:
        """Each view loses unsynced data independently of the log and of other views."""
        self.disk = self.disk.restarted()
        self.disk.lose_power(self._chance)
        self._lose_rows()
        self._close_views()
        match self._chance.choice(("both stay", "both stay", "urls lost", "catalog lost", "catalog old")):
            case "urls lost":
                self._trees[self._chance.randrange(self.partitions) if self.partitions > 1 else 0] = MemoryTree()
            case "catalog lost":
                self._remove_catalog()
            case "catalog old" if (copy := self._directory / "copy.db").exists():
                self._remove_catalog()
                shutil.copyfile(copy, self._directory / "crawl.db")

    def keep_a_copy(self) -> None:
        """Saves the catalog between two lives: a power cut may bring this state back."""
        if (self._directory / "crawl.db").exists():
            shutil.copyfile(self._directory / "crawl.db", self._directory / "copy.db")

    def open_urls(self) -> UrlStore:
        stores = [self.open_store(partition) for partition in range(self.partitions)]
        self._urls = stores[0] if self.partitions == 1 else PartitionedUrlStore(stores)
        return self._urls

    def open_store(self, partition: int) -> native.UrlStore:
        """With the limits of a normal crawl. The filter is as small as the web, so that it must grow."""
        return native.UrlStore(
            self._trees[partition],
            capacity=FILTER_CAPACITY,
            cached_keys=HOT_KEYS,
            limits=make_limits(self._settings),
            share=(partition, self.partitions) if self.partitions > 1 else None,
        )

    def open_catalog(self) -> EmbeddedCatalog:
        self._catalog = EmbeddedCatalog.open(self._directory / "crawl.db")
        return self._catalog

    def find_depths(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        """Those of the URLs that have ended, as another process finds them in the catalog, which may be old."""
        if not (self._directory / "crawl.db").exists():
            return {}
        with closing(apsw.Connection(str(self._directory / "crawl.db"), flags=apsw.SQLITE_OPEN_READONLY)) as catalog:
            rows = {key: catalog.execute("SELECT depth FROM pages WHERE key = ?", (key,)).fetchall() for key in keys}
        return {key: int(str(found[0][0])) for key, found in rows.items() if found}

    def _close_views(self) -> None:
        if self._urls is not None:
            self._urls.close()
        if self._catalog is not None:
            self._catalog.close()
        self._urls = self._catalog = None

    def _lose_rows(self) -> None:
        """Removes the newest frames from each tree: some or all that were not synced."""
        for tree in self._trees:
            tree.lose(self._chance.randint(0, tree.unsynced))

    def _remove_catalog(self) -> None:
        for path in self._directory.glob("crawl.db*"):
            path.unlink()


class MachinePlace(EmbeddedPlace):
    """The place of the crawl on this machine."""

    def __init__(self, directory: Path, machine: Machine) -> None:
        super().__init__(directory, machine.disk, partitions=machine.partitions)
        self._machine = machine

    def open_urls(
        self, *, capacity: int, memory: int, limits: HostLimits | None = None, must_exist: bool = False
    ) -> UrlStore:
        return self._machine.open_urls()

    def open_near(self, *, similarity: float) -> NearCopyIndex:
        """It loses everything with each life: the log has it."""
        return NearCopyIndex(make_index(None, similarity), Path("near"))

    def open_views(self) -> tuple[EmbeddedCatalog, EmbeddedCatalog]:
        catalog = self._machine.open_catalog()
        return catalog, catalog
