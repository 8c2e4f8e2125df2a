"""Catalog, as an SQLite file."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from hondius.errors import BadDirectory, BrokenView, DiskFull, HondiusError
from hondius.files import is_regular
from hondius.model import ALL_PAGES, FORMAT, PageFilter
from hondius.stores.catalog import schema, shared_memory
from hondius.stores.catalog.tables import Tables, make_link_query

_BESIDE = ("-wal", "-shm", "-journal")
_PATIENCE = 10_000
_PRAGMAS = """
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA synchronous = NORMAL;
"""
"""NORMAL: a crash of the machine may lose the newest transactions, and `applied` with them. The log has them."""
_WRITER_CACHE, _READER_CACHE = 32 * 1024, 4 * 1024
"""KiB."""
_NEARLY_FULL = 1024 * 1024
"""With fewer free bytes, an I/O error of SQLite means a full disk: its shared memory could not grow."""


class EmbeddedCatalog(Tables):
    """One writer. Reads use a separate connection, so that no query waits for the commit."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        super().__init__(path)
        self._uri = _make_uri(path, is_immutable=read_only and _is_immutable(path))
        self._connections: list[apsw.Connection] = []
        self._shared_memory: int | None = None
        self._is_alone = False
        """Whether its only connection has locked the database exclusively."""
        try:
            with self._translate_errors():
                self._refuse_strange_files()
                self._writer = None if read_only else self._open_writer()
                self._reader = self._open_reader(is_full=read_only and not shared_memory.has_room(path))
            self._check_format()
            self._sequences = self._read_sequences()
        except HondiusError:
            self.close()
            raise

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> "EmbeddedCatalog":
        if read_only and not path.is_file():
            raise BrokenView(path, "is missing")
        return cls(path, read_only=read_only)

    def table(self, name: str) -> Iterator[tuple[Any, ...]]:
        """All rows of one of `schema.TABLES`, sorted for comparison; reads through a separate connection."""
        with self._translate_errors():
            connection = self._reader if self._is_alone else self._connect()
            yield from connection.execute(f"SELECT * FROM {name} ORDER BY {schema.TABLES[name]}")

    def list_fetch_locations(self, file: str) -> Iterator[tuple[int, int, str | None]]:
        """(offset, length, URL) of each fetch in a WARC file, in order. Only the newest fetch of a page has its URL."""
        with self._translate_errors():
            connection = self._reader if self._is_alone else self._connect()
            yield from self._read_checked_rows(connection, _FETCH_LOCATIONS, (file,))

    def list_link_locations(self, file: str, selected: PageFilter = ALL_PAGES) -> Iterator[tuple[int, int, bytes, str]]:
        """Reads row by row, through a separate connection: a segment has the links of some hundred thousand pages."""
        with self._translate_errors():
            connection = self._reader if self._is_alone else self._connect()
            yield from self._read_checked_rows(connection, *make_link_query(file, selected))

    def close(self) -> None:
        """Closes the reader first: the last connection writes the write-ahead log back into the file."""
        for connection in reversed(self._connections):
            connection.close()
        if self._shared_memory is not None:
            os.close(self._shared_memory)
            self._shared_memory = None

    def _open_writer(self) -> apsw.Connection:
        if not shared_memory.has_room(self._path):
            raise self._make_full_error()
        if not self._path.exists():
            self._create()
        writer = self._connect(apsw.SQLITE_OPEN_READWRITE, _WRITER_CACHE)
        writer.execute("PRAGMA application_id").fetchall()
        self._shared_memory = shared_memory.allocate(self._path)
        return writer

    def _open_reader(self, *, is_full: bool) -> apsw.Connection:
        """On a full disk (`is_full`) a reader works without shared memory, unless a crawl already has it."""
        alone = self._connect_alone() if is_full else None
        self._is_alone = alone is not None
        return alone or self._connect()

    def _connect_alone(self) -> apsw.Connection | None:
        """None if another process has the database open: a crawl keeps it open even while it waits for room."""
        open_before = len(self._connections)
        try:
            connection = self._connect(apsw.SQLITE_OPEN_READWRITE, locking="exclusive", patience=0)
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.pragma("query_only", True)
            connection.execute("PRAGMA application_id").fetchall()
            return connection
        except apsw.BusyError:
            for connection in self._connections[open_before:]:
                connection.close()
            del self._connections[open_before:]
            return None

    def _create(self) -> None:
        """Creates it under another name until it is complete. Removes a write-ahead log that outlived its database
        first: SQLite would replay it into the new one."""
        making = self._path.with_name(f"{self._path.name}.making")
        beside = (making.with_name(f"{making.name}{suffix}") for suffix in ("", *_BESIDE))
        for leftover in (*beside, *(self._path.with_name(f"{self._path.name}{suffix}") for suffix in _BESIDE)):
            leftover.unlink(missing_ok=True)
        connection = apsw.Connection(str(making))
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        with connection:
            connection.execute(schema.SCHEMA, (FORMAT, schema.SCHEMA_NUMBER))
        connection.pragma("journal_mode", "wal")
        connection.close()
        making.replace(self._path)

    def _connect(
        self,
        flags: int = apsw.SQLITE_OPEN_READONLY,
        cache: int = _READER_CACHE,
        locking: str = "normal",
        patience: int = _PATIENCE,
    ) -> apsw.Connection:
        """`patience`: milliseconds to wait for a lock."""
        connection = apsw.Connection(self._uri, flags=flags | apsw.SQLITE_OPEN_URI)
        self._connections.append(connection)
        connection.set_busy_timeout(patience)
        connection.pragma("locking_mode", locking)
        connection.execute(_PRAGMAS)
        connection.pragma("cache_size", -cache)
        return connection

    def _refuse_strange_files(self) -> None:
        """SQLite would follow links, wait at pipes, and obey a rollback journal, which names other files. The catalog
        never has a journal: it uses a write-ahead log, the `-wal` file."""
        for suffix in ("", "-wal", "-shm"):
            path = self._path.with_name(f"{self._path.name}{suffix}")
            if os.path.lexists(path) and not is_regular(path):
                raise BrokenView(self._path, f"is no catalog: {path.name} is not a regular file")
        if os.path.lexists(self._path.with_name(f"{self._path.name}-journal")):
            raise BrokenView(self._path, "has a journal beside it, which no catalog has")

    def _check_format(self) -> None:
        if self._row("PRAGMA application_id") != (schema.APPLICATION_ID,):
            raise BrokenView(self._path, "is not a catalog")
        if not str(self._row(schema.READ_META)).startswith("('CREATE TABLE "):
            raise BrokenView(self._path, "is not a catalog")
        written_format = self._number("format")
        if written_format > FORMAT:
            raise BadDirectory(f"{self._path} was written by a newer Hondius (format {written_format}); upgrade")
        if self._number("schema") != schema.SCHEMA_NUMBER:
            raise BrokenView(self._path, "was made by another version")
        if self._rows(schema.READ_SCHEMA) != schema.list_objects():
            raise BrokenView(self._path, "has tables that Hondius did not make")

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except apsw.FullError as error:
            raise self._make_full_error() from error
        except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.FormatError, UnicodeDecodeError) as error:
            raise BrokenView(self._path, f"is damaged ({error})") from error
        except (apsw.IOError, apsw.CantOpenError, OSError) as error:
            if shutil.disk_usage(self._path.parent).free < _NEARLY_FULL:
                raise self._make_full_error() from error
            if self._path.exists() and not os.access(self._path, os.R_OK):
                raise HondiusError(f"{self._path}: {os.strerror(errno.EACCES)}") from error
            if not os.access(self._path.parent, os.W_OK):
                raise HondiusError(
                    f"{self._path} has changes in a separate file, which cannot be read from a read-only directory: "
                    "copy the crawl to a writable directory, and repeat the command"
                ) from error
            raise HondiusError(f"{self._path}: {error}") from error
        except apsw.Error as error:
            raise HondiusError(f"{self._path}: {error}") from error

    def _make_full_error(self) -> DiskFull:
        return DiskFull(f"no room left for {self._path}; make room")


_FETCH_LOCATIONS = """
    SELECT fetches.warc_offset, fetches.warc_length, pages.url FROM fetches LEFT JOIN pages ON pages.key = fetches.key
        AND pages.warc_file = fetches.warc_file AND pages.warc_offset = fetches.warc_offset
    WHERE fetches.warc_file = ? ORDER BY fetches.warc_offset"""


def _make_uri(path: Path, *, is_immutable: bool) -> str:
    return f"file:{quote(str(path.absolute()))}" + ("?immutable=1" if is_immutable else "")


def _is_immutable(path: Path) -> bool:
    """Whether nobody can write here and everything is in one file, as in an archived crawl. SQLite must know that, or
    it would create another file."""
    log = path.with_name(f"{path.name}-wal")
    return not os.access(path.parent, os.W_OK) and not (log.exists() and log.stat().st_size)
