"""Tables of the catalog, and the statements that fill them.

The columns of `pages` are the fields of `Finished`, with the same names and order, without those that only the log
has. Three more columns depend on earlier frames, two are what hooks said of the page, and one says when its body was
removed. `frame` is the number of the frame that a row comes from. Keys and hashes are blobs; times are seconds since
the epoch; `simhash` is its 64 bits as a signed number, because SQLite has no unsigned ones.

`pages` and `fetches` are tables with an index on the key, not trees ordered by it. Rows are long, and in a tree each
would dirty its own page at a random position (measured: 45 µs a page instead of 15).
"""

import zlib
from contextlib import closing
from functools import cache
from types import UnionType
from typing import Any, get_args

import apsw
from msgspec.structs import fields

from hondius.model import LOG_ONLY_FIELDS, Blacklisted, Event, Failed, Finished, HostOrder, HostState, RobotsCopy

APPLICATION_ID = 0x484F4E44  # "HOND", in the header of the file

_SQL_TYPES: dict[Any, str] = {bytes: "BLOB", float: "REAL", int: "INTEGER", bool: "INTEGER"}
RENAMED = {"fetched_at": "last_fetched_at"}


def list_stored_fields(event: type[Event]) -> tuple[str, ...]:
    """Fields that have a column."""
    return tuple(name for name in event.__struct_fields__ if name not in LOG_ONLY_FIELDS)


FINISHED_FIELDS = tuple(RENAMED.get(name, name) for name in list_stored_fields(Finished))
ROBOTS_FIELDS = list_stored_fields(RobotsCopy)
PAGE_COLUMNS = (
    *FINISHED_FIELDS,
    "fetch_count",
    "change_count",
    "first_fetched_at",
    "extracted",
    "hook_failures",
    "body_removed_at",
)
KEPT_FROM_VISITS = ("change_interval", "page_class", "visits")
FETCHED_AT = Finished.__struct_fields__.index("fetched_at")
SKETCH = Finished.__struct_fields__.index("sketch")
SIMHASH = Finished.__struct_fields__.index("simhash")

_FETCH_TYPES = {
    "key": "BLOB NOT NULL",
    "sequence": "INTEGER NOT NULL",
    "position": "INTEGER NOT NULL",
    "started_at": "REAL",
    "ended_at": "REAL",
    "outcome": "TEXT NOT NULL",
    "cause": "TEXT NOT NULL",
    "status": "INTEGER",
    "address": "TEXT",
    "wire_length": "INTEGER",
    "content_hash": "BLOB",
    "warc_file": "TEXT",
    "warc_offset": "INTEGER",
    "warc_length": "INTEGER",
    "redirect_to": "TEXT",
    "body_removed_at": "REAL",
}
FETCH_COLUMNS = tuple(_FETCH_TYPES)
ERROR_COLUMNS = ("key", "cause", "host", "detail", "count", "at")


def _format_columns(event: type[Event]) -> str:
    """The fields of an event as columns; the first is the key."""
    stored = [field for field in fields(event) if field.name not in LOG_ONLY_FIELDS]
    columns = [f"{RENAMED.get(field.name, field.name)} {_find_sql_type(field.type)}" for field in stored]
    return ", ".join([f"{columns[0]} PRIMARY KEY NOT NULL", *columns[1:]])


def _find_sql_type(annotation: Any) -> str:
    kinds = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    return _SQL_TYPES.get(kinds[0], "TEXT")


MANY_LINKS = 1_000
"""Pages with more links are rare, and have an index."""

LONG_CRAWL_DELAY = 60
"""Seconds. Hosts that ask for more are rare, and have an index."""

SCHEMA = f"""
CREATE TABLE pages (
    {_format_columns(Finished)},
    fetch_count INTEGER NOT NULL,
    change_count INTEGER NOT NULL,
    first_fetched_at REAL,
    extracted TEXT,
    hook_failures TEXT,
    body_removed_at REAL
);
CREATE INDEX pages_of_many_links ON pages (links) WHERE links > {MANY_LINKS};
CREATE INDEX pages_that_are_due ON pages (next_fetch_at, key, change_interval, priority)
    WHERE next_fetch_at IS NOT NULL;
CREATE TABLE fetches (
    {", ".join(f"{name} {kind}" for name, kind in _FETCH_TYPES.items())}
);
CREATE INDEX fetches_of_key ON fetches (key);
CREATE TABLE hosts (
    {_format_columns(HostState)},
    domain TEXT NOT NULL,
    frame INTEGER NOT NULL,
    average_response REAL AS (seconds / nullif(fetched, 0)),
    error_rate REAL AS (failed * 1.0 / nullif(fetched, 0))
) WITHOUT ROWID;
CREATE TABLE robots ({_format_columns(RobotsCopy)}, frame INTEGER NOT NULL);
CREATE TABLE errors (
    key BLOB NOT NULL,
    cause TEXT NOT NULL,
    host TEXT NOT NULL,
    detail TEXT NOT NULL,
    count INTEGER NOT NULL,
    at REAL,
    PRIMARY KEY (key, cause)
) WITHOUT ROWID;
CREATE TABLE retries ({_format_columns(Failed)}, frame INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE blacklist ({_format_columns(Blacklisted)}) WITHOUT ROWID;
CREATE TABLE host_orders ({_format_columns(HostOrder)}, frame INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE scope (
    sequence INTEGER NOT NULL, position INTEGER NOT NULL, hrefs TEXT NOT NULL, PRIMARY KEY (sequence, position)
);
CREATE TABLE left_out (
    key BLOB NOT NULL, origin TEXT NOT NULL, depth INTEGER NOT NULL, hops INTEGER NOT NULL, frame INTEGER NOT NULL,
    PRIMARY KEY (key, origin)
) WITHOUT ROWID;
CREATE INDEX left_out_in_frame ON left_out (frame);
CREATE TABLE seeds (  -- the most that were taken: a later command reads them from the first again
    source TEXT PRIMARY KEY NOT NULL, taken INTEGER NOT NULL, is_last INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE archived (file TEXT PRIMARY KEY NOT NULL, length INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE moves (  -- empty, except while a rewritten WARC file is applied
    old INTEGER PRIMARY KEY NOT NULL, new INTEGER NOT NULL, length INTEGER NOT NULL, is_shortened INTEGER NOT NULL
);
CREATE TABLE link_segments (file TEXT PRIMARY KEY NOT NULL, length INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE runs (
    sequence INTEGER PRIMARY KEY NOT NULL, started_at REAL NOT NULL, version TEXT NOT NULL, ended_at REAL, reason TEXT
);
CREATE INDEX hosts_of_address ON hosts (address);
CREATE INDEX hosts_of_domain ON hosts (domain);
CREATE INDEX hosts_of_long_delay ON hosts (crawl_delay) WHERE crawl_delay > {LONG_CRAWL_DELAY};
CREATE TABLE refused_more (
    host TEXT NOT NULL, cause TEXT NOT NULL, count INTEGER NOT NULL, at REAL NOT NULL, PRIMARY KEY (host, cause)
) WITHOUT ROWID;
CREATE TABLE totals (
    kind TEXT NOT NULL, state TEXT NOT NULL, cause TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (kind, state, cause)
) WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY NOT NULL, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('applied', 0), ('format', ?), ('schema', ?), ('fetches', 0), ('wire_bytes', 0), ('hosts', 0),
    ('refused_more', 0), ('unread_links', 0), ('log', 0);
CREATE TRIGGER page_ends_anew BEFORE UPDATE OF state ON pages BEGIN
    INSERT INTO totals VALUES (OLD.kind, OLD.state, OLD.cause, -1) ON CONFLICT DO UPDATE SET count = count - 1;
    UPDATE meta SET value = value - OLD.unread_links WHERE name = 'unread_links' AND OLD.unread_links > 0;
END;
CREATE TRIGGER host_is_new AFTER INSERT ON hosts BEGIN
    UPDATE meta SET value = value + 1 WHERE name = 'hosts';
END;
"""

TABLES = {
    "pages": "key",
    "fetches": "rowid",
    "hosts": "host",
    "robots": "origin",
    "errors": "key, cause",
    "retries": "key",
    "blacklist": "domain",
    "host_orders": "host",
    "scope": "sequence, position",
    "seeds": "source",
    "left_out": "key, origin",
    "archived": "file",
    "link_segments": "file",
    "runs": "sequence",
    "refused_more": "host, cause",
    "totals": "kind, state, cause",
    "meta": "name",
}
"""Each table with the sort order for comparing two catalogs."""


READ_META = "SELECT sql FROM sqlite_schema WHERE name = 'meta'"
READ_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"


@cache
def list_objects() -> list[tuple[Any, ...]]:
    """The expected result of `READ_SCHEMA`. Anything else was not created by Hondius: for example an endless view in
    place of a table, or a trigger."""
    with closing(apsw.Connection(":memory:")) as connection:
        connection.execute(SCHEMA, (0, 0))
        return connection.execute(READ_SCHEMA).fetchall()


def _upsert(table: str, columns: tuple[str, ...]) -> str:
    names, values = ", ".join(columns), ", ".join("?" * len(columns))
    changes = ", ".join(f"{column} = excluded.{column}" for column in columns[1:])
    return f"INSERT INTO {table} ({names}) VALUES ({values}) ON CONFLICT DO UPDATE SET {changes}"


def _upsert_page() -> str:
    """`?n` is the nth field of `Finished`. The end says whether the page has changed. Logs of older versions do not:
    there, a body that differs from the last known one counts. A recrawl does not change how a URL was found, and an end
    that says nothing of earlier visits keeps what is known of them."""
    names = ", ".join(PAGE_COLUMNS)
    values = ", ".join(f"?{number}" for number in range(1, len(FINISHED_FIELDS) + 1))
    fetched_at = f"?{FETCHED_AT + 1}"
    new = {column: f"excluded.{column}" for column in FINISHED_FIELDS if column != "key"}
    new |= {
        name: f"iif(excluded.via = 'recrawl', {name}, excluded.{name})" for name in ("via", "source", "discovered_at")
    }
    new |= {name: f"coalesce(excluded.{name}, {name})" for name in KEPT_FROM_VISITS}
    new["depth"] = "iif(excluded.via = 'recrawl', min(depth, excluded.depth), excluded.depth)"
    changes = ", ".join(f"{column} = {value}" for column, value in new.items())
    return f"""
        INSERT INTO pages ({names}) VALUES ({values}, {fetched_at} IS NOT NULL, 0, {fetched_at}, NULL, NULL, NULL)
        ON CONFLICT (key) DO UPDATE SET {changes},
            fetch_count = fetch_count + excluded.fetch_count,
            change_count = change_count + coalesce(excluded.changed, (content_hash <> excluded.content_hash) IS TRUE),
            first_fetched_at = coalesce(first_fetched_at, excluded.first_fetched_at),
            extracted = iif(excluded.status = 304, extracted, NULL),
            hook_failures = iif(excluded.status = 304, hook_failures, NULL),
            body_removed_at = iif(excluded.status = 304, body_removed_at, NULL)"""


UPSERT_PAGE = _upsert_page()
SCHEMA_NUMBER = zlib.crc32((SCHEMA + UPSERT_PAGE).encode())
"""Changes with the tables, and with what a page's row keeps. A catalog with another number is rebuilt from the log,
never altered."""
EXTRACTED = "UPDATE pages SET extracted = nullif(?, ''), hook_failures = nullif(?, '') WHERE key = ?"
FOUND_CLOSER = "UPDATE pages SET depth = ?1, via = ?2, source = ?3 WHERE key = ?4 AND kind = 'page' AND depth > ?1"
INSERT_FETCH = f"INSERT INTO fetches VALUES ({', '.join('?' * (len(FETCH_COLUMNS) - 1))}, NULL)"
UPSERT_HOST = _upsert("hosts", (*HostState.__struct_fields__, "domain", "frame"))
UPSERT_ROBOTS = _upsert("robots", (*ROBOTS_FIELDS, "frame"))
UPSERT_ERROR = """
    INSERT INTO errors (key, cause, host, detail, count, at) VALUES (?, ?, ?, ?, 1, ?)
    ON CONFLICT DO UPDATE SET detail = excluded.detail, count = count + 1, at = excluded.at"""
UPSERT_RETRY = _upsert("retries", (*Failed.__struct_fields__, "frame"))
DELETE_RETRY = "DELETE FROM retries WHERE key = ?"
UPSERT_BLACKLIST = _upsert("blacklist", Blacklisted.__struct_fields__)
UPSERT_HOST_ORDER = _upsert("host_orders", (*HostOrder.__struct_fields__, "frame"))
INSERT_SCOPE = "INSERT INTO scope VALUES (?, ?, ?)"
UPSERT_ARCHIVED = _upsert("archived", ("file", "length"))
INSERT_MOVE = "INSERT OR REPLACE INTO moves VALUES (?, ?, ?, ?)"
MOVE_RECORDS = tuple(
    f"""
    UPDATE {table} SET warc_file = ?1, warc_offset = new, warc_length = moves.length,
        body_removed_at = iif(is_shortened, ?2, body_removed_at)
    FROM moves WHERE warc_file = ?3 AND warc_offset = old"""
    for table in ("pages", "fetches")
)
CLEAR_MOVES = "DELETE FROM moves"
DELETE_ARCHIVED = "DELETE FROM archived WHERE file = ?"
UPSERT_LINK_SEGMENT = _upsert("link_segments", ("file", "length"))
DELETE_LINK_SEGMENTS = "DELETE FROM link_segments WHERE length = 0"
"""Removes abandoned segments."""
LINKS_RESTORED = "UPDATE pages SET links_file = ?, links_offset = ?, links_index = ? WHERE key = ?"
INSERT_RUN = "INSERT INTO runs (sequence, started_at, version) VALUES (?, ?, ?)"
END_RUN = "UPDATE runs SET ended_at = ?, reason = ? WHERE sequence = (SELECT max(sequence) FROM runs)"
ADD_TOTAL = "INSERT INTO totals VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count"
ADD_REFUSED_MORE = """
    INSERT INTO refused_more VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET count = count + excluded.count, at = excluded.at"""
ADD_META = "UPDATE meta SET value = value + ? WHERE name = ?"
INSERT_LEFT_OUT = """
    INSERT INTO left_out (key, origin, depth, hops, frame) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET depth = min(depth, excluded.depth), hops = min(hops, excluded.hops)"""
"""If something is left out several times, its first frame counts: the scope may have grown in between."""
DELETE_LEFT_OUT = "DELETE FROM left_out WHERE key = ? AND origin = ?"
UPSERT_SEEDS = """
    INSERT INTO seeds VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET taken = max(taken, excluded.taken), is_last = excluded.is_last"""
SET_LOG = "UPDATE meta SET value = ? WHERE name = 'log'"
SET_APPLIED = "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
