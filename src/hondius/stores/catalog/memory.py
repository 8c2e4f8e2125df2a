"""Catalog, in memory: the same tables, without a file."""

import threading
from contextlib import AbstractContextManager
from pathlib import Path

import apsw

from hondius.model import FORMAT
from hondius.stores.catalog import schema
from hondius.stores.catalog.tables import Tables


class Database:
    """Lives as long as it is referenced. It has one connection, so queries and frames take turns."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.connection = apsw.Connection(":memory:")
        with self.connection:
            self.connection.execute(schema.SCHEMA, (FORMAT, schema.SCHEMA_NUMBER))


class MemoryCatalog(Tables):
    """Closing it ends writing; the database stays."""

    def __init__(self, database: Database, name: str = "catalog", *, read_only: bool = False) -> None:
        super().__init__(Path(name))
        self._lock = database.lock
        self._reader = database.connection
        self._writer = None if read_only else database.connection
        self._sequences = self._read_sequences()

    def close(self) -> None:
        self._writer = None

    def _exclusive(self) -> AbstractContextManager[object]:
        return self._lock
