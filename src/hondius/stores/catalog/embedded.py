"""Catalog, as an SQLite file."""

import errno
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from hondius.errors import BadDirectory, BrokenView, DiskFull, HondiusError, is_internal
from hondius.files import is_regular
from hondius.model import FORMAT, Blacklisted, Failed, Frame, HostOrder, HostState, LeftOut, RobotsCopy
from hondius.stores.catalog import schema, shared_memory
from hondius.stores.catalog.writing import write_one_by_one, write_together

_BESIDE = ("-wal", "-shm", "-journal")
_BATCH = 500
_SCOPE_BATCH = 50
_RETRY = ", ".join(Failed.__struct_fields__)
_PRAGMAS = """
    PRAGMA busy_timeout = 10000;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA synchronous = NORMAL;
"""
"""NORMAL: a crash of the machine may lose the newest transactions, and `applied` with them. The log has them."""
_WRITER_CACHE, _READER_CACHE = 32 * 1024, 4 * 1024
"""KiB."""
_BRIM = 1024 * 1024
"""With less room than this, what SQLite calls an I/O error is want of room: its shared memory could not grow."""


class EmbeddedCatalog:
    """One writer. Everything is read through a connection of its own, so that no question waits for the commit."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._name = _uri(path, is_still=read_only and _is_still(path))
        self._lock = threading.Lock()
        self._connections: list[apsw.Connection] = []
        self._shared_memory: int | None = None
        self._is_alone = False
        """Its one connection holds the database by itself: there can be no other."""
        try:
            with self._named():
                self._refuse_strange_files()
                self._writer = None if read_only else self._open_writer()
                self._reader = self._open_reader(is_full=read_only and not shared_memory.has_room(path))
            self._check_format()
            self._applied = self._number("applied")
        except HondiusError:
            self.close()
            raise

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> "EmbeddedCatalog":
        if read_only and not path.is_file():
            raise BrokenView(path, "is missing")
        return cls(path, read_only=read_only)

    @property
    def applied(self) -> int:
        return self._number("applied") if self._writer is None else self._applied

    @property
    def log(self) -> int:
        return self._number("log")

    def apply(self, frames: Sequence[Frame]) -> int:
        if self._writer is None:
            raise HondiusError(f"{self._path} was opened for reading")
        new = [frame for frame in frames if frame.sequence > self._applied]
        for expected, frame in enumerate(new, start=self._applied + 1):
            if frame.sequence != expected:
                raise BrokenView(self._path, f"stands at frame {expected - 1} and was given {frame.sequence}")
        if not new:
            return 0
        try:
            return self._write(new, write_together)
        except BaseException as error:
            if not is_internal(error):
                raise
            return self._write(new, write_one_by_one)

    def _write(self, frames: Sequence[Frame], write: Callable[[apsw.Connection, Sequence[Frame]], int]) -> int:
        assert self._writer is not None
        with self._named(), self._writer:
            bugs = write(self._writer, frames)
            if self._applied == 0:
                self._writer.execute(schema.SET_LOG, (frames[0].log,))
            self._writer.execute(schema.SET_APPLIED, (frames[-1].sequence,))
        self._applied = frames[-1].sequence
        return bugs

    def page(self, key: bytes) -> dict[str, Any] | None:
        row = self._row(f"SELECT {_PAGE_NAMES} FROM pages WHERE key = ?", (key,))
        return None if row is None else _page(row)

    def pages(self, states: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        """In the order of the key. Batch by batch: a reader that takes its time holds back no checkpoint."""
        filtered = f"AND state IN ({', '.join('?' * len(states))})" if states else ""
        query = f"SELECT {_PAGE_NAMES} FROM pages WHERE key > ? {filtered} ORDER BY key LIMIT {_BATCH}"
        after = b""
        while rows := self._rows(query, (after, *map(str, states))):
            yield from map(_page, rows)
            after = rows[-1][0]

    def fetches(self, key: bytes) -> list[dict[str, Any]]:
        """What happened to a URL, oldest first."""
        rows = self._rows("SELECT * FROM fetches WHERE key = ? ORDER BY rowid", (key,))
        return [dict(zip(schema.FETCH_COLUMNS, row, strict=True)) for row in rows]

    def pages_of_more_links(self, than: int, most: int) -> list[tuple[str, int]]:
        """(URL, links) of pages that have more. Below `MANY_LINKS` they are not rare: no index is needed."""
        indexed = f"links > {schema.MANY_LINKS} AND" if than >= schema.MANY_LINKS else ""
        rows = self._rows(f"SELECT url, links FROM pages WHERE {indexed} links > ? LIMIT ?", (than, most))
        return [(url, links) for url, links in rows]

    def host(self, host: str) -> HostState | None:
        row = self._row(f"SELECT {', '.join(HostState.__struct_fields__)} FROM hosts WHERE host = ?", (host,))
        return None if row is None else HostState(*row)

    def longest_crawl_delay(self) -> float:
        """That any host asked for; a minute at the least."""
        query = f"SELECT max(crawl_delay) FROM hosts WHERE crawl_delay > {schema.LONG_CRAWL_DELAY}"
        return float(self._rows(query)[0][0] or schema.LONG_CRAWL_DELAY)

    def hosts_at(self, address: str, most: int) -> int:
        """How many hosts were contacted there; counted up to `most`."""
        rows = self._rows("SELECT count(*) FROM (SELECT 1 FROM hosts WHERE address = ? LIMIT ?)", (address, most))
        return int(rows[0][0])

    def hosts_below(self, domain: str, most: int) -> int:
        """How many hosts of a registrable domain were contacted; counted up to `most`."""
        rows = self._rows("SELECT count(*) FROM (SELECT 1 FROM hosts WHERE domain = ? LIMIT ?)", (domain, most))
        return int(rows[0][0])

    def fetched_of_domain(self, domain: str) -> int:
        """Answers of all hosts of a registrable domain, but for robots.txt and recrawls."""
        query = "SELECT coalesce(sum(fetched - recrawled), 0) FROM hosts WHERE domain = ?"
        return int(self._rows(query, (domain,))[0][0])

    def hosts_of_domain(self, domain: str, most: int) -> list[str]:
        """Some that were contacted, of a registrable domain."""
        query = "SELECT host FROM hosts WHERE domain = ? ORDER BY host LIMIT ?"
        return [host for (host,) in self._rows(query, (domain, most))]

    def refused_more(self, host: str) -> dict[str, int]:
        """Refused links of a host that were counted, not kept, by cause."""
        return dict(self._rows("SELECT cause, count FROM refused_more WHERE host = ? ORDER BY cause", (host,)))

    def refused_for(self, cause: str) -> Iterator[tuple[str, str, int, str]]:
        """(URL, host, depth, kind) of each page and sitemap file that was refused for it."""
        for page in self.pages(("refused",)):
            if page["cause"] == cause:
                yield page["url"], page["host"], page["depth"], page["kind"]

    def robots(self, origin: str) -> RobotsCopy | None:
        row = self._row(f"SELECT {', '.join(schema.ROBOTS_FIELDS)} FROM robots WHERE origin = ?", (origin,))
        return None if row is None else RobotsCopy(*row)

    def failed_seeds(self, most: int) -> list[tuple[str, str, str]]:
        """(URL, cause, detail) of up to `most` seeds, or targets of their redirects, that had no good answer."""
        query = f"SELECT url, cause, detail FROM pages WHERE {_WITHOUT_ANSWER} ORDER BY discovered_at, key LIMIT ?"
        return [(url, cause, detail) for url, cause, detail in self._rows(query, (most,))]

    def retries(self, most: int) -> list[Failed]:
        return [Failed(*row) for row in self._rows(f"SELECT {_RETRY} FROM retries ORDER BY key LIMIT ?", (most,))]

    def retry(self, key: bytes) -> Failed | None:
        row = self._row(f"SELECT {_RETRY} FROM retries WHERE key = ?", (key,))
        return None if row is None else Failed(*row)

    def seeds_without_answer(self) -> Iterator[tuple[str, bytes, str]]:
        """(URL, key, via) of all such seeds, read in batches. Those that only another seed or another --exclude could
        help are left out."""
        query = f"""SELECT url, key, via FROM pages WHERE key > ? AND {_WITHOUT_ANSWER}
            AND (state <> 'refused' OR cause = 'type') ORDER BY key LIMIT {_BATCH}"""
        after = b""
        while rows := self._rows(query, (after,)):
            yield from ((url, key, via) for url, key, via in rows)
            after = rows[-1][1]

    def frame_of(self, row: HostState | RobotsCopy | Failed | HostOrder) -> int:
        match row:
            case HostState():
                found = self._row("SELECT frame FROM hosts WHERE host = ?", (row.host,))
            case RobotsCopy():
                found = self._row("SELECT frame FROM robots WHERE origin = ?", (row.origin,))
            case Failed():
                found = self._row("SELECT frame FROM retries WHERE key = ?", (row.key,))
            case HostOrder():
                found = self._row("SELECT frame FROM host_orders WHERE host = ?", (row.host,))
        return 0 if found is None else int(found[0])

    def blacklist(self) -> list[Blacklisted]:
        query = "SELECT domain, reason, at FROM blacklist WHERE NOT lifted ORDER BY domain"
        return [Blacklisted(*row) for row in self._rows(query)]

    def blacklist_orders(self) -> list[Blacklisted]:
        """The newest for each domain, also where it took the domain off the list."""
        rows = self._rows("SELECT domain, reason, at, lifted FROM blacklist ORDER BY domain")
        return [Blacklisted(domain, reason, at, bool(lifted)) for domain, reason, at, lifted in rows]

    def host_orders(self) -> list[HostOrder]:
        query = f"SELECT {', '.join(HostOrder.__struct_fields__)} FROM host_orders ORDER BY host"
        return [HostOrder(*row) for row in self._rows(query)]

    def scope(self) -> Iterator[str]:
        """Row by row: a million seeds are as many hrefs."""
        query = "SELECT rowid, hrefs FROM scope WHERE rowid > ? ORDER BY rowid LIMIT ?"
        after = 0
        while rows := self._rows(query, (after, _SCOPE_BATCH)):
            yield "\n".join(hrefs for _, hrefs in rows)
            after = rows[-1][0]

    def unfinished_seeds(self) -> list[tuple[str, int]]:
        """Sources of which not all seeds were taken: their names, and how many were."""
        rows = self._rows("SELECT source, taken FROM seeds WHERE NOT is_last ORDER BY source")
        return [(source, taken) for source, taken in rows]

    def has_left_out(self) -> bool:
        return self._row("SELECT 1 FROM left_out LIMIT 1") is not None

    def left_out(self, most: int) -> list[LeftOut]:
        query = """SELECT key, depth, hops, origin FROM left_out
            WHERE frame <= (SELECT max(sequence) FROM scope)
                AND (origin <> '' OR EXISTS (SELECT 1 FROM pages WHERE pages.key = left_out.key))
            ORDER BY frame, key, origin LIMIT ?"""
        return [LeftOut(*row) for row in self._rows(query, (most,))]

    def archived(self) -> dict[str, int]:
        return dict(self._rows("SELECT file, length FROM archived ORDER BY file"))

    def link_segments(self) -> dict[str, int]:
        return dict(self._rows("SELECT file, length FROM link_segments ORDER BY file"))

    def table(self, name: str) -> Iterator[tuple[Any, ...]]:
        """All rows of one of `schema.TABLES` in its order, for comparison; through a connection of its own."""
        with self._named():
            connection = self._reader if self._is_alone else self._connect()
            yield from connection.execute(f"SELECT * FROM {name} ORDER BY {schema.TABLES[name]}")

    def placed(self, file: str) -> Iterator[tuple[int, int, str | None]]:
        """(offset, length, URL) of each fetch that lies in that WARC file, in order; the URL of a page's newest."""
        with self._named():
            connection = self._reader if self._is_alone else self._connect()
            yield from connection.execute(_PLACED, (file,))

    def link_places(self, file: str) -> Iterator[tuple[int, int, bytes, str]]:
        """(offset, index, key, URL) of each page whose links lie in that segment, in this order."""
        with self._named():
            connection = self._reader if self._is_alone else self._connect()
            yield from connection.execute(_LINK_PLACES, (file,))

    def pages_without_links(self) -> Iterator[dict[str, Any]]:
        """Those that were read and have links that are not kept, in the order of the key; read in batches."""
        query = f"SELECT {_PAGE_NAMES} FROM pages WHERE key > ? AND {_WITHOUT_LINKS} ORDER BY key LIMIT {_BATCH}"
        after = b""
        while rows := self._rows(query, (after,)):
            yield from map(_page, rows)
            after = rows[-1][0]

    def count_without_links(self) -> int:
        return int(self._rows(f"SELECT count(*) FROM pages WHERE {_WITHOUT_LINKS}")[0][0])

    def has_ended(self, key: bytes) -> bool:
        return self._row("SELECT 1 FROM pages WHERE key = ?", (key,)) is not None

    def runs(self) -> list[tuple[int, float]]:
        rows = self._rows("SELECT sequence, started_at FROM runs ORDER BY sequence")
        return [(frame, started_at) for frame, started_at in rows]

    def last_run(self) -> dict[str, Any] | None:
        """When the last run started and, unless it was killed or is under way, ended, and why."""
        row = self._row("SELECT started_at, version, ended_at, reason FROM runs ORDER BY sequence DESC LIMIT 1")
        return None if row is None else dict(zip(("started_at", "version", "ended_at", "reason"), row, strict=True))

    def unreachable(self, most: int) -> list[tuple[str, str]]:
        """Origins whose robots.txt cannot be had, so that their URLs wait; and why."""
        unknown = "outcome = 'unreachable' AND good_at IS NULL"
        query = f"SELECT origin, detail FROM robots WHERE {unknown} ORDER BY origin LIMIT ?"
        return [(origin, detail) for origin, detail in self._rows(query, (most,))]

    def open_circuits(self, now: float, most: int) -> list[tuple[str, int, float]]:
        """Hosts that are left alone because they fail: name, failures in a row, until when."""
        query = (
            "SELECT host, consecutive_failures, circuit_until FROM hosts WHERE circuit_until > ? ORDER BY host LIMIT ?"
        )
        return [(host, failures, until) for host, failures, until in self._rows(query, (now, most))]

    def totals(self) -> dict[str, Any]:
        counts: dict[str, dict[tuple[str, str], int]] = {"page": {}, "sitemap": {}}
        for kind, state, cause, count in self._rows("SELECT kind, state, cause, count FROM totals WHERE count <> 0"):
            counts.setdefault(kind, {})[state, cause] = count
        states: dict[str, int] = {}
        for (state, _), count in counts["page"].items():
            states[state] = states.get(state, 0) + count
        wanted = "'hosts', 'fetches', 'wire_bytes', 'refused_more', 'unread_links'"
        meta = dict(self._rows(f"SELECT name, value FROM meta WHERE name IN ({wanted})"))
        return {"states": states, "causes": counts["page"], "sitemaps": counts["sitemap"], **meta}

    def close(self) -> None:
        """The reader first: the last connection to close folds the write-ahead log into the file."""
        for connection in reversed(self._connections):
            connection.close()
        if self._shared_memory is not None:
            os.close(self._shared_memory)
            self._shared_memory = None

    def _open_writer(self) -> apsw.Connection:
        if not shared_memory.has_room(self._path):
            raise self._full()
        if not self._path.exists():
            self._create()
        writer = self._connect(apsw.SQLITE_OPEN_READWRITE, _WRITER_CACHE)
        writer.execute("PRAGMA application_id").fetchall()
        self._shared_memory = shared_memory.allot(self._path)
        return writer

    def _open_reader(self, *, is_full: bool) -> apsw.Connection:
        """Where there is no room for shared memory a reader does without, unless a crawl has it: then there is."""
        if is_full:
            alone = self._connect_alone()
            with suppress(apsw.BusyError):
                alone.execute("PRAGMA application_id").fetchall()
                self._is_alone = True
                return alone
            self._connections.remove(alone)
            alone.close()
        return self._connect()

    def _connect_alone(self) -> apsw.Connection:
        connection = self._connect(apsw.SQLITE_OPEN_READWRITE, locking="exclusive")
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.pragma("query_only", True)
        return connection

    def _create(self) -> None:
        """Under another name until it is whole. A write-ahead log that outlived its database must go first: SQLite
        would play it into the new one."""
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
        self, flags: int = apsw.SQLITE_OPEN_READONLY, cache: int = _READER_CACHE, locking: str = "normal"
    ) -> apsw.Connection:
        connection = apsw.Connection(self._name, flags=flags | apsw.SQLITE_OPEN_URI)
        self._connections.append(connection)
        connection.pragma("locking_mode", locking)
        connection.execute(_PRAGMAS)
        connection.pragma("cache_size", -cache)
        return connection

    def _refuse_strange_files(self) -> None:
        """SQLite would follow links, wait at pipes, and obey a rollback journal, which names other files.
        The catalog never has a journal: its log of changes is the `-wal` file."""
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
        if self._rows(schema.READ_SCHEMA) != schema.parts():
            raise BrokenView(self._path, "has tables that Hondius did not make")

    def _number(self, name: str) -> int:
        row = self._row("SELECT value FROM meta WHERE name = ?", (name,))
        return 0 if row is None else int(row[0])

    def _row(self, query: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        rows = self._rows(query, values)
        return rows[0] if rows else None

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock, self._named():
            return self._reader.execute(query, values).fetchall()

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except apsw.FullError as error:
            raise self._full() from error
        except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.FormatError) as error:
            raise BrokenView(self._path, f"is damaged ({error})") from error
        except (apsw.IOError, apsw.CantOpenError, OSError) as error:
            if shutil.disk_usage(self._path.parent).free < _BRIM:
                raise self._full() from error
            if self._path.exists() and not os.access(self._path, os.R_OK):
                raise HondiusError(f"{self._path}: {os.strerror(errno.EACCES)}") from error
            if not os.access(self._path.parent, os.W_OK):
                raise HondiusError(
                    f"{self._path} has changes beside it that can be taken in only where files can be written: "
                    "copy the crawl there, and ask again"
                ) from error
            raise HondiusError(f"{self._path}: {error}") from error
        except apsw.Error as error:
            raise HondiusError(f"{self._path}: {error}") from error

    def _full(self) -> DiskFull:
        return DiskFull(f"no room left for {self._path}; make room")


_PAGE_NAMES = ", ".join(schema.PAGE_COLUMNS)
_WITHOUT_ANSWER = """depth = 0 AND kind = 'page' AND via IN ('seed', 'redirect', 'recrawl')
    AND state IN ('failed', 'gone', 'blocked', 'refused')"""
_PLACED = """
    SELECT fetches.warc_offset, fetches.warc_length, pages.url FROM fetches LEFT JOIN pages ON pages.key = fetches.key
        AND pages.warc_file = fetches.warc_file AND pages.warc_offset = fetches.warc_offset
    WHERE fetches.warc_file = ? ORDER BY fetches.warc_offset"""

_WITHOUT_LINKS = "links_file IS NULL AND links > 0 AND state IN ('completed', 'duplicate')"
_LINK_PLACES = """
    SELECT links_offset, links_index, key, url FROM pages WHERE links_file = ? ORDER BY links_offset, links_index"""


def _uri(path: Path, *, is_still: bool) -> str:
    return f"file:{quote(str(path.absolute()))}" + ("?immutable=1" if is_still else "")


def _is_still(path: Path) -> bool:
    """An archived crawl: nobody can write here, and all is in the one file. SQLite must be told, for it would make a
    file beside it."""
    log = path.with_name(f"{path.name}-wal")
    return not os.access(path.parent, os.W_OK) and not (log.exists() and log.stat().st_size)


def _page(row: tuple[Any, ...]) -> dict[str, Any]:
    """As the event had it: SQLite has neither truth values nor numbers of 64 bits without a sign."""
    page = dict(zip(schema.PAGE_COLUMNS, row, strict=True))
    page["simhash"] = None if page["simhash"] is None else page["simhash"] % (1 << 64)
    page["truncated"], page["noindex"] = bool(page["truncated"]), bool(page["noindex"])
    return page
