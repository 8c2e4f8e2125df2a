"""The twin: what the catalog should be, folded from the log beside it."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, takewhile
from pathlib import Path
from tempfile import TemporaryDirectory

from hondius.ports import Log
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.lock import is_writable

_BATCH = 64


class Twin:
    def __init__(self, log: Log, catalog: EmbeddedCatalog) -> None:
        self._log = log
        self.catalog = catalog

    def advance(self, to: int) -> None:
        """Folds the frames up to that one."""
        frames = takewhile(lambda frame: frame.sequence <= to, self._log.read(after=self.catalog.applied))
        while batch := list(islice(frames, _BATCH)):
            self.catalog.apply(batch)


@contextmanager
def open_twin(log: Log, directory: Path) -> Iterator[Twin]:
    """Beside the catalog, where there is room for another; elsewhere if nothing can be written there."""
    with TemporaryDirectory(prefix=".verify-", dir=directory if is_writable(directory) else None) as place:
        catalog = EmbeddedCatalog.open(Path(place) / "crawl.db")
        try:
            yield Twin(log, catalog)
        finally:
            catalog.close()
