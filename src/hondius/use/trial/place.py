"""Where the small crawl lies: files and views of its own, but for what the real crawl must know, and tells."""

from pathlib import Path

from hondius.crawler.attempts import DIRECTORY, PREFIX
from hondius.crawler.opening import CATALOG, Place
from hondius.model import Blacklisted, HostOrder, HostState, RobotsCopy
from hondius.native import UrlStore
from hondius.ports import Catalog, Disk
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.embedded import EmbeddedDisk


def trial_place(scratch: Path, disk: Disk, catalog: Catalog) -> Place:
    """`disk` and `catalog` are those of the real crawl."""
    return Place(
        TrialDisk(scratch, disk), lambda: UrlStore(":memory:"), lambda: TrialCatalog(scratch / CATALOG, catalog)
    )


class TrialDisk(EmbeddedDisk):
    """Attempt records are those of the real crawl: the trial reads them, and adds a file."""

    def __init__(self, scratch: Path, real: Disk) -> None:
        super().__init__(scratch)
        self._real = real

    def list(self, directory: str) -> list[str]:
        own = super().list(directory)
        return sorted([*own, *filter(_is_attempts, self._real.list(directory))]) if directory == DIRECTORY else own

    def size(self, path: str) -> int:
        return self._real.size(path) if _is_shared(path) else super().size(path)

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        return self._real.read(path, offset, length) if _is_shared(path) else super().read(path, offset, length)

    def replace(self, path: str, data: bytes) -> None:
        if _is_shared(path):
            self._real.replace(path, data)
        else:
            super().replace(path, data)


class TrialCatalog(EmbeddedCatalog):
    """What the trial has not learned itself, the real crawl may know."""

    def __init__(self, path: Path, real: Catalog) -> None:
        super().__init__(path)
        self._real = real

    def host(self, host: str) -> HostState | None:
        return super().host(host) or self._real.host(host)

    def robots(self, origin: str) -> RobotsCopy | None:
        return super().robots(origin) or self._real.robots(origin)

    def longest_crawl_delay(self) -> float:
        return self._real.longest_crawl_delay()

    def host_orders(self) -> list[HostOrder]:
        return self._real.host_orders()

    def blacklist(self) -> list[Blacklisted]:
        return self._real.blacklist()


def _is_attempts(name: str) -> bool:
    return name.startswith(PREFIX)


def _is_shared(path: str) -> bool:
    return path.startswith(f"{DIRECTORY}/{PREFIX}")
