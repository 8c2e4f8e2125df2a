"""DeepTexts, as an SQLite file."""

import logging
import os
import tempfile
import threading
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

import apsw

from hondius.errors import HondiusError
from hondius.files import is_regular
from hondius.model import DeepText
from hondius.stores.deep_texts.packing import pack, unpack

FILE = "deep-texts.db"
APPLICATION_ID = 0x484F4454  # "HODT", in the header of the file
_SCHEMA = """CREATE TABLE texts (
    key BLOB PRIMARY KEY NOT NULL, content_hash BLOB NOT NULL, version INTEGER NOT NULL, text BLOB NOT NULL
)"""
_PRAGMAS = "PRAGMA busy_timeout = 2000; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -2048"
_READ_SCHEMA = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"
_GET = "SELECT text FROM texts WHERE key = ? AND content_hash = ? AND version = ?"
_PUT = """INSERT INTO texts VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    content_hash = excluded.content_hash, version = excluded.version, text = excluded.text"""
_log = logging.getLogger("hondius.stores")


class EmbeddedDeepTexts:
    """If the file cannot be opened, read or written, every `get` returns None: results are computed and not stored. The
    first such error is logged."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._is_writable = True
        self._connection: apsw.Connection | None = None
        try:
            _refuse_strange_files(path)
            self._connection = self._open()
        except (apsw.Error, OSError, HondiusError) as error:
            self._give_up(error)

    def get(self, key: bytes, content_hash: bytes, version: int) -> DeepText | None:
        with self._lock:
            if self._connection is None:
                return None
            try:
                row = self._connection.execute(_GET, (key, content_hash, version)).fetchone()
            except apsw.BusyError:
                return None
            except (apsw.Error, UnicodeDecodeError) as error:
                self._give_up(error)
                return None
        return None if row is None else unpack(row[0])

    def put(self, key: bytes, content_hash: bytes, version: int, text: DeepText) -> None:
        packed = pack(text)
        with self._lock:
            if self._connection is None or not self._is_writable:
                return
            try:
                self._connection.execute(_PUT, (key, content_hash, version, packed))
            except (apsw.BusyError, apsw.FullError):
                return
            except apsw.Error as error:
                self._give_up(error)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> apsw.Connection:
        self._is_writable = os.access(self._path.parent, os.W_OK)
        if self._is_writable and not self._path.exists():
            _create(self._path)
        if self._is_writable:
            connection = self._connect("", apsw.SQLITE_OPEN_READWRITE)
        else:
            connection = self._connect("?immutable=1", apsw.SQLITE_OPEN_READONLY)
        try:
            _check(connection)
        except (apsw.Error, HondiusError):
            connection.close()
            raise
        return connection

    def _connect(self, option: str, flags: int) -> apsw.Connection:
        uri = f"file:{quote(str(self._path.absolute()))}{option}"
        connection = apsw.Connection(uri, flags=flags | apsw.SQLITE_OPEN_URI)
        connection.execute(_PRAGMAS)
        return connection

    def _give_up(self, error: Exception) -> None:
        _log.warning("%s is not used, and main texts are not stored (%s): delete it", self._path, error)
        if self._connection is not None:
            with suppress(apsw.Error):
                self._connection.close()
            self._connection = None


def _create(path: Path) -> None:
    """Creates it under another name until it is complete. Several processes may do this at the same time: the first one
    gives it its name. A write-ahead log that outlived its database is removed: SQLite would replay it into this one."""
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as making:
        made = Path(making) / path.name
        with closing(apsw.Connection(str(made))) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}; {_SCHEMA}")
            connection.pragma("journal_mode", "wal")
        for suffix in ("-wal", "-shm"):
            if not path.exists():
                path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)
        with suppress(FileExistsError):
            os.link(made, path)


def _check(connection: apsw.Connection) -> None:
    """A file from a stranger may hold anything: for example an endless view in place of the table, or a trigger."""
    if connection.pragma("application_id") != APPLICATION_ID:
        raise HondiusError("Hondius did not make it")
    if connection.execute(_READ_SCHEMA).fetchall() != [(_SCHEMA,)]:
        raise HondiusError("it has tables that Hondius did not make")


def _refuse_strange_files(path: Path) -> None:
    """SQLite would follow links, wait at pipes, and obey a rollback journal, which names other files. A cache never
    has a journal: it uses a write-ahead log."""
    for suffix in ("", "-wal", "-shm"):
        beside = path.with_name(f"{path.name}{suffix}")
        if os.path.lexists(beside) and not is_regular(beside):
            raise HondiusError(f"{beside.name} is not a regular file")
    if os.path.lexists(path.with_name(f"{path.name}-journal")):
        raise HondiusError("it has a journal beside it")
