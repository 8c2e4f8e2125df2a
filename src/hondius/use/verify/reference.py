"""The reference: what the catalog should be, built from the log."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, takewhile
from pathlib import Path
from shutil import disk_usage
from tempfile import TemporaryDirectory

from hondius.ports import Log
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.lock import is_writable

_BATCH = 64
_LEAST_ROOM = 64 * 1024 * 1024


class Reference:
    def __init__(self, log: Log, catalog: EmbeddedCatalog) -> None:
        self._log = log
        self.catalog = catalog

    def advance(self, to: int) -> None:
        """Applies the frames up to that one."""
        frames = takewhile(lambda frame: frame.number <= to, self._log.read(after=self.catalog.position))
        while batch := list(islice(frames, _BATCH)):
            self.catalog.apply(batch)


def _has_room(directory: Path) -> bool:
    catalog = directory / "crawl.db"
    size = catalog.stat().st_size if catalog.exists() else 0
    return disk_usage(directory).free > max(_LEAST_ROOM, 2 * size)


@contextmanager
def open_reference(log: Log, directory: Path) -> Iterator[Reference]:
    """In the crawl directory if there is room, otherwise in the temporary directory of the system."""
    beside = directory if is_writable(directory) and _has_room(directory) else None
    with TemporaryDirectory(prefix=".verify-", dir=beside) as place:
        catalog = EmbeddedCatalog.open(Path(place) / "crawl.db")
        try:
            yield Reference(log, catalog)
        finally:
            catalog.close()
