"""The only place that names concrete stores: one `Place` for each world.

`place_of` finds the place of a name: a crawl in memory that was registered under that name, otherwise a directory. A
new world needs a `Place` and a way to name it.
"""

import errno
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hondius import __version__, native
from hondius.clock import Clock
from hondius.errors import BadDirectory, BrokenView
from hondius.native import HostLimits, Identity, MemoryTree
from hondius.ports import Disk, Log, Place, UrlStore
from hondius.stores.archive.embedded import FILE_BYTES, EmbeddedArchive
from hondius.stores.archive.memory import MemoryArchive, MemoryRecords
from hondius.stores.archive.reading import RecordFiles
from hondius.stores.attempts.files import AttemptFiles
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.catalog.memory import Database, MemoryCatalog
from hondius.stores.consumers.files import ConsumerFiles
from hondius.stores.consumers.memory import MemoryConsumers
from hondius.stores.deep_texts.embedded import FILE, EmbeddedDeepTexts
from hondius.stores.deep_texts.memory import Kept, MemoryDeepTexts
from hondius.stores.disk import directory as files
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.lock import DirectoryLock, find_holder, hold_file, is_writable
from hondius.stores.disk.memory_lock import Holders, MemoryLock
from hondius.stores.disk.simulated import SimulatedDisk
from hondius.stores.links.embedded import EmbeddedLinkSegments
from hondius.stores.links.reading import SegmentFiles
from hondius.stores.log.embedded import SEGMENT_BYTES
from hondius.stores.log.memory import MemoryLog
from hondius.stores.log.opening import count_partitions, open_log, record_partitions
from hondius.stores.log.partitioned import PartitionedLog
from hondius.stores.near.index import NearCopyIndex, make_index, open_index
from hondius.stores.orders.files import OrderFiles
from hondius.stores.orders.memory import MemoryOrders
from hondius.stores.turns.embedded import EmbeddedTurns
from hondius.stores.urls.opening import open_all_urls
from hondius.stores.urls.partitioned import PartitionedUrlStore
from hondius.stores.view_files import (
    CATALOG,
    NEAR,
    URLS,
    clear_away,
    discard_catalog,
    discard_near,
    discard_texts,
    discard_urls,
    has_search_index,
)

if TYPE_CHECKING:
    from hondius.model import Frame, Order
    from hondius.ports import SearchIndex
    from hondius.position import Cursor

VIEW = "view"
"""The name of the partition's view if it is separate from the catalog."""
SOFTWARE = f"Hondius/{__version__}"
_in_memory: dict[str, "MemoryPlace"] = {}
"""Crawls in memory, by name, while `register` is active."""


def place_of(name: Path) -> Place:
    """Raises BadDirectory if no directory can have this name."""
    return _in_memory.get(str(name)) or EmbeddedPlace(_refuse_impossible(name))


def _refuse_impossible(name: Path) -> Path:
    try:
        os.lstat(name)
    except ValueError as error:
        raise BadDirectory(f"{str(name)!r} is no name of a directory ({error})") from error
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise BadDirectory(f"{name} is no name of a directory ({error.strerror}): choose a shorter one") from error
    return name


@contextmanager
def register(place: "MemoryPlace") -> Iterator[Path]:
    """Lets this process open a crawl in memory by its name, as it opens a directory."""
    _in_memory[place.name] = place
    try:
        yield Path(place.name)
    finally:
        del _in_memory[place.name]


class EmbeddedPlace:
    """A local directory. Another `disk` may hold its files: the one of the simulation is in memory."""

    def __init__(self, directory: Path, disk: Disk | None = None, *, partitions: int = 1) -> None:
        """`partitions`: for a new crawl. An existing one keeps its own number."""
        self._directory = directory
        self._disk = disk or EmbeddedDisk(directory)
        self._wanted_partitions = partitions

    @property
    def name(self) -> str:
        return self._disk.place

    @property
    def directory(self) -> Path:
        return self._directory

    @property
    def disk(self) -> Disk:
        return self._disk

    def exists(self, advice: str) -> bool:
        return files.holds_crawl(self._directory, advice)

    @property
    def has_settings(self) -> bool:
        return self._disk.exists(files.SETTINGS_FILE)

    def read_settings(self, most: int) -> bytes:
        return files.read_settings(self._directory, most)

    def write_settings(self, text: bytes, *, are_secret: bool) -> None:
        self._disk.replace(files.SETTINGS_FILE, text)
        if are_secret:
            (self._directory / files.SETTINGS_FILE).chmod(0o600)

    def read_note(self, name: str, most: int) -> bytes | None:
        return files.read_note(self._directory, name, most)

    def write_note(self, name: str, data: bytes) -> None:
        files.write_note(self._directory, name, data)

    @property
    def is_writable(self) -> bool:
        return is_writable(self._directory)

    @property
    def has_search_index(self) -> bool:
        return has_search_index(self._directory)

    def discard_texts(self) -> None:
        discard_texts(self._directory)

    def lock(self, *, shared: bool = False) -> DirectoryLock:
        return DirectoryLock(self._directory, shared=shared)

    def holder(self) -> int | None:
        return find_holder(self._directory)

    def orders(self) -> OrderFiles:
        return OrderFiles(self._disk)

    def attempts(self) -> AttemptFiles:
        return AttemptFiles(self._disk)

    def open_turns(self, *, gap: float, most: int, is_spaced: bool, clock: Clock) -> EmbeddedTurns:
        return EmbeddedTurns(gap=gap, most=most, is_spaced=is_spaced, clock=clock)

    def changed_at(self) -> float:
        return files.changed_at(self._directory)

    def open_log(self, *, segment_bytes: int | None = None, read_only: bool = False) -> Log:
        if not read_only:
            record_partitions(self._disk, self._wanted_partitions)
        return open_log(self._disk, segment_bytes=segment_bytes or SEGMENT_BYTES, read_only=read_only)

    def open_urls(
        self, *, capacity: int, memory: int, limits: HostLimits | None = None, must_exist: bool = False
    ) -> UrlStore:
        path = self._directory / URLS
        if must_exist and not path.is_dir():
            raise BrokenView(path, "is missing")
        return open_all_urls(path, count_partitions(self._disk), capacity=capacity, memory=memory, limits=limits)

    def open_views(self) -> tuple[EmbeddedCatalog, EmbeddedCatalog]:
        catalog = EmbeddedCatalog.open(self._directory / CATALOG)
        return catalog, catalog

    def open_view(self) -> EmbeddedCatalog:
        return self.open_catalog()

    def open_catalog(self) -> EmbeddedCatalog:
        return EmbeddedCatalog.open(self._directory / CATALOG, read_only=True)

    @contextmanager
    def open_scratch_catalog(self) -> Iterator[EmbeddedCatalog]:
        """Uses a file: the catalog may be larger than memory."""
        with (
            tempfile.TemporaryDirectory(prefix="hondius-scratch-") as scratch,
            closing(EmbeddedCatalog.open(Path(scratch) / CATALOG)) as catalog,
        ):
            yield catalog

    @contextmanager
    def open_scratch_place(self) -> Iterator["EmbeddedPlace"]:
        with tempfile.TemporaryDirectory(prefix="hondius-scratch-") as scratch:
            place = EmbeddedPlace(Path(scratch))
            with closing(place.disk):
                yield place

    def open_archive(
        self, durable: Mapping[str, int], *, operator: str, file_bytes: int | None = None, clock: Clock
    ) -> EmbeddedArchive:
        return EmbeddedArchive(
            self._disk,
            durable=durable,
            software=SOFTWARE,
            operator=operator,
            file_bytes=file_bytes or FILE_BYTES,
            clock=clock,
        )

    def open_reader(self) -> RecordFiles:
        return RecordFiles(self._disk)

    def open_links(self, durable: Mapping[str, int], *, identity: Identity, clock: Clock) -> EmbeddedLinkSegments:
        return EmbeddedLinkSegments(self._disk, durable=durable, identity=identity, clock=clock)

    def open_link_reader(self, *, identity: Identity) -> SegmentFiles:
        return SegmentFiles(self._disk, identity)

    def open_near(self, *, similarity: float) -> NearCopyIndex:
        return open_index(self._directory / NEAR, similarity)

    def open_deep_texts(self) -> EmbeddedDeepTexts:
        return EmbeddedDeepTexts(self._directory / FILE)

    def open_consumers(self) -> ConsumerFiles:
        return ConsumerFiles(self._disk, lambda path, name: hold_file(self._directory / path, name))

    def open_search_index(self) -> "SearchIndex":
        from hondius.stores.search.embedded import EmbeddedSearchIndex

        return EmbeddedSearchIndex(self._directory, is_writable=self.is_writable)

    def discard(self, view: str) -> None:
        discards = {CATALOG: discard_catalog, NEAR: discard_near, URLS: discard_urls}
        discards[view](self._directory)

    def clear_away(self) -> None:
        clear_away(self._directory)


class MemoryPlace:
    """In memory, as long as the object lives. `directory` is for files that the engine writes itself. The partition's
    view and the catalog are two objects, as in a cluster, so that tests find code that reads from the catalog."""

    def __init__(self, name: str, directory: Path, *, partitions: int = 1) -> None:
        self._name = name
        self._directory = directory
        self._disk = SimulatedDisk()
        self._holders = Holders()
        self._notes: dict[str, bytes] = {}
        self._partitions = partitions
        self._frames: list[list[Frame]] = [[] for _ in range(partitions)]
        self._trees = [MemoryTree() for _ in range(partitions)]
        self._view = Database()
        self._catalog = Database()
        self._records: dict[str, bytearray] = {}
        self._orders: dict[int, Order] = {}
        self._deep_texts: Kept = {}
        self._cursors: dict[str, Cursor] = {}
        self._search_index: SearchIndex | None = None
        self._near: NearCopyIndex | None = None

    @property
    def name(self) -> str:
        return self._name

    @property
    def directory(self) -> Path:
        return self._directory

    @property
    def disk(self) -> SimulatedDisk:
        return self._disk

    def exists(self, advice: str) -> bool:
        return self.has_settings

    @property
    def has_settings(self) -> bool:
        return files.SETTINGS_FILE in self._notes

    def read_settings(self, most: int) -> bytes:
        return self._notes[files.SETTINGS_FILE]

    def write_settings(self, text: bytes, *, are_secret: bool) -> None:
        self._notes[files.SETTINGS_FILE] = text

    def read_note(self, name: str, most: int) -> bytes | None:
        return self._notes.get(name)

    def write_note(self, name: str, data: bytes) -> None:
        self._notes[name] = data

    @property
    def is_writable(self) -> bool:
        return True

    @property
    def has_search_index(self) -> bool:
        return self._search_index is not None

    def discard_texts(self) -> None:
        self._deep_texts.clear()

    def lock(self, *, shared: bool = False) -> MemoryLock:
        return MemoryLock(self._name, self._holders, shared=shared)

    def holder(self) -> int | None:
        return self._holders.process

    def orders(self) -> MemoryOrders:
        return MemoryOrders(self._orders)

    def attempts(self) -> AttemptFiles:
        """These are files, because the engine writes them."""
        return AttemptFiles(EmbeddedDisk(self._directory))

    def open_turns(self, *, gap: float, most: int, is_spaced: bool, clock: Clock) -> EmbeddedTurns:
        return EmbeddedTurns(gap=gap, most=most, is_spaced=is_spaced, clock=clock)

    def changed_at(self) -> float:
        return max((frames[-1].at for frames in self._frames if frames), default=0.0)

    def open_log(self, *, segment_bytes: int | None = None, read_only: bool = False) -> Log:
        logs = [MemoryLog(frames, self._name, read_only=read_only) for frames in self._frames]
        return logs[0] if self._partitions == 1 else PartitionedLog(logs)

    def open_urls(
        self, *, capacity: int, memory: int, limits: HostLimits | None = None, must_exist: bool = False
    ) -> UrlStore:
        if self._partitions == 1:
            return native.UrlStore(self._trees[0], capacity=capacity, memory=memory, limits=limits)
        return PartitionedUrlStore(
            [
                native.UrlStore(tree, capacity=capacity, memory=memory, limits=limits, share=(part, self._partitions))
                for part, tree in enumerate(self._trees)
            ]
        )

    def open_views(self) -> tuple[MemoryCatalog, MemoryCatalog]:
        return MemoryCatalog(self._view, VIEW), MemoryCatalog(self._catalog)

    def open_view(self) -> MemoryCatalog:
        return MemoryCatalog(self._view, VIEW, read_only=True)

    def open_catalog(self) -> MemoryCatalog:
        return MemoryCatalog(self._catalog, read_only=True)

    @contextmanager
    def open_scratch_catalog(self) -> Iterator[MemoryCatalog]:
        yield MemoryCatalog(Database())

    @contextmanager
    def open_scratch_place(self) -> Iterator["MemoryPlace"]:
        with tempfile.TemporaryDirectory(prefix="hondius-scratch-") as scratch:
            yield MemoryPlace(f"{self._name}, aside", Path(scratch))

    def open_archive(
        self, durable: Mapping[str, int], *, operator: str, file_bytes: int | None = None, clock: Clock
    ) -> MemoryArchive:
        return MemoryArchive(self._records, durable=durable, software=SOFTWARE, operator=operator, clock=clock)

    def open_reader(self) -> MemoryRecords:
        return MemoryRecords(self._records)

    def open_links(self, durable: Mapping[str, int], *, identity: Identity, clock: Clock) -> EmbeddedLinkSegments:
        return EmbeddedLinkSegments(self._disk, durable=durable, identity=identity, clock=clock)

    def open_link_reader(self, *, identity: Identity) -> SegmentFiles:
        return SegmentFiles(self._disk, identity)

    def open_near(self, *, similarity: float) -> NearCopyIndex:
        self._near = self._near or NearCopyIndex(make_index(None, similarity), Path(self._name) / NEAR)
        return self._near

    def open_deep_texts(self) -> MemoryDeepTexts:
        return MemoryDeepTexts(self._deep_texts)

    def open_consumers(self) -> MemoryConsumers:
        return MemoryConsumers(self._cursors)

    def open_search_index(self) -> "SearchIndex":
        from hondius.stores.search.memory import MemorySearchIndex

        self._search_index = self._search_index or MemorySearchIndex()
        return self._search_index

    def discard(self, view: str) -> None:
        if view == URLS:
            self._trees = [MemoryTree() for _ in self._trees]
        elif view == VIEW:
            self._view = Database()
        elif view == NEAR:
            self._near = None
        else:
            self._catalog = Database()

    def clear_away(self) -> None:
        """Nothing can be left behind in memory."""
