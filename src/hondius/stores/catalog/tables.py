"""Queries of the catalog's tables, and how frames are written to them: the same SQL in every world."""

import re
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from math import inf
from pathlib import Path
from typing import Any

import apsw

from hondius.errors import BrokenView, HondiusError, is_internal
from hondius.model import (
    ALL_PAGES,
    Blacklisted,
    Failed,
    Frame,
    HostOrder,
    HostState,
    LeftOut,
    PageFilter,
    PageOrder,
    RobotsCopy,
)
from hondius.position import Position
from hondius.stores.catalog import schema
from hondius.stores.catalog.conditions import ORDERS, make_condition
from hondius.stores.catalog.values import Columns
from hondius.stores.catalog.writing import write_one_by_one, write_together
from hondius.url_pattern import UrlPattern
from hondius.usage import is_reserved

_APPLIED = re.compile(r"applied(?: of ([1-9][0-9]{0,4}))?")
"""The names in `meta` of the last applied sequence: of partition 0, and of other partitions."""
_BATCH = 500
_COLUMNS_BATCH = 5_000
"""Rows of a few columns are short."""
_SCOPE_BATCH = 50
_RETRY = ", ".join(Failed.__struct_fields__)


class Tables:
    """`path` is its name in messages. Subclasses set `_reader`, and `_writer` if it is opened for writing; both may be
    the same connection."""

    _reader: apsw.Connection
    _writer: apsw.Connection | None

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._sequences: dict[int, int] = {}
        """The sequence of the last applied frame, by partition."""
        self._columns: dict[str, Columns] = {}
        """The columns that each query returns."""

    @property
    def name(self) -> str:
        return self._path.name

    @property
    def applied(self) -> int:
        """The number of applied frames."""
        return self.position.frames

    @property
    def position(self) -> Position:
        sequences = self._read_sequences() if self._writer is None else self._sequences
        return Position.of(sequences.get(partition, 0) for partition in range(max(sequences, default=0) + 1))

    @property
    def log(self) -> int:
        return self._number("log")

    def apply(self, frames: Sequence[Frame]) -> int:
        if self._writer is None:
            raise HondiusError(f"{self._path} was opened for reading")
        new = [frame for frame in frames if frame.sequence > self._sequences.get(frame.partition, 0)]
        if not new:
            return 0
        self._refuse_gaps(new)
        try:
            return self._write(new, write_together)
        except BaseException as error:
            if not is_internal(error):
                raise
            return self._write(new, write_one_by_one)

    def _write(self, frames: Sequence[Frame], write: Callable[[apsw.Connection, Sequence[Frame]], int]) -> int:
        assert self._writer is not None
        with self._exclusive(), self._translate_errors(), self._writer:
            bugs = write(self._writer, frames)
            if not any(self._sequences.values()):
                self._writer.execute(schema.SET_LOG, (frames[0].log,))
            applied = {frame.partition: frame.sequence for frame in frames}
            self._writer.executemany(
                schema.SET_APPLIED, [(_format_applied_name(part), last) for part, last in applied.items()]
            )
        self._sequences |= applied
        return bugs

    def _refuse_gaps(self, frames: Sequence[Frame]) -> None:
        """Frames of one partition must come in order, and none twice."""
        stands = dict(self._sequences)
        for frame in frames:
            before = stands.get(frame.partition, 0)
            if frame.sequence != before + 1:
                raise BrokenView(self._path, f"has applied frame {before} and was given frame {frame.sequence}")
            stands[frame.partition] = frame.sequence

    def _read_sequences(self) -> dict[int, int]:
        """Ignores other names: a file from a stranger may contain any."""
        rows = self._rows("SELECT name, value FROM meta WHERE name GLOB 'applied*'")
        return {int(match[1] or 0): int(value) for name, value in rows if (match := _APPLIED.fullmatch(name))}

    def page(self, key: bytes) -> dict[str, Any] | None:
        row = self._row(f"SELECT {_PAGE_NAMES} FROM pages WHERE key = ?", (key,))
        return None if row is None else _make_page(row)

    def pages(
        self,
        selected: PageFilter = ALL_PAGES,
        order: PageOrder = "key",
        leave_out: Callable[[dict[str, Any]], None] = lambda page: None,
    ) -> Iterator[dict[str, Any]]:
        pattern = UrlPattern(selected.pattern) if selected.pattern else None
        where, values = make_condition(selected)
        rows = self._rows_by_key(where, values) if order == "key" else self._rows_in_order(where, values, order)
        pages = (_make_page(row) for row in rows if pattern is None or pattern.matches(row[_URL]))
        return _leave_out_reserved(pages, selected.purpose, leave_out) if selected.purpose else pages

    def _rows_by_key(self, where: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        """In batches: a slow reader delays no checkpoint."""
        query = f"SELECT {_PAGE_NAMES} FROM pages WHERE key > ? AND {where} ORDER BY key LIMIT {_BATCH}"
        after = b""
        while rows := self._rows(query, (after, *values)):
            yield from rows
            after = rows[-1][0]

    def _rows_in_order(self, where: str, values: Sequence[Any], order: PageOrder) -> Iterator[tuple[Any, ...]]:
        """Sorts row numbers first, then reads the rows in batches. No index has these orders: it would cost time in
        every crawl."""
        with self._lock, self._translate_errors():
            query = f"SELECT rowid FROM pages WHERE {where} ORDER BY {ORDERS[order]}"
            numbers = array("q", (number for (number,) in self._reader.execute(query, values)))
        query = f"SELECT {_PAGE_NAMES}, rowid FROM pages WHERE rowid IN (SELECT value FROM json_each(?))"
        for start in range(0, len(numbers), _BATCH):
            batch = numbers[start : start + _BATCH].tolist()
            rows = {row[-1]: row[:-1] for row in self._rows(query, (str(batch),))}
            yield from (rows[number] for number in batch if number in rows)

    def list_due(self, until: float, most: int, after: tuple[float, bytes] = (-inf, b"")) -> list[dict[str, Any]]:
        query = f"""SELECT {_PAGE_NAMES} FROM pages
            WHERE next_fetch_at IS NOT NULL AND next_fetch_at <= ? AND (next_fetch_at, key) > (?, ?)
            ORDER BY next_fetch_at, key LIMIT ?"""
        return [_make_page(row) for row in self._rows(query, (until, *after, most))]

    def find_next_due(self, after: float) -> float | None:
        query = "SELECT next_fetch_at FROM pages WHERE next_fetch_at > ? ORDER BY next_fetch_at LIMIT 1"
        row = self._row(query, (after,))
        return None if row is None else float(row[0])

    def count_due(self, until: float) -> int:
        query = "SELECT count(*) FROM pages WHERE next_fetch_at IS NOT NULL AND next_fetch_at <= ?"
        return int(self._rows(query, (until,))[0][0])

    def list_change_rates(self) -> Iterator[tuple[float, float]]:
        """In batches: a slow reader delays no checkpoint. Reads the index alone, which has all four columns: a row of
        the table is many times as long."""
        query = f"""SELECT change_interval, priority, next_fetch_at, key FROM pages
            WHERE next_fetch_at IS NOT NULL AND (next_fetch_at, key) > (?, ?)
            ORDER BY next_fetch_at, key LIMIT {_COLUMNS_BATCH}"""
        after: tuple[float, bytes] = (-inf, b"")
        while rows := self._rows(query, after):
            yield from ((interval, priority) for interval, priority, _, _ in rows if interval is not None)
            after = rows[-1][2], rows[-1][3]

    def fetches(self, key: bytes) -> list[dict[str, Any]]:
        """All fetches of a URL, oldest first."""
        rows = self._rows("SELECT * FROM fetches WHERE key = ? ORDER BY rowid", (key,))
        return [dict(zip(schema.FETCH_COLUMNS, row, strict=True)) for row in rows]

    def list_all_fetches(self) -> Iterator[dict[str, Any]]:
        """In batches: a slow reader delays no checkpoint."""
        names = ", ".join(schema.FETCH_COLUMNS)
        query, after = f"SELECT {names}, rowid FROM fetches WHERE rowid > ? ORDER BY rowid LIMIT {_BATCH}", 0
        while rows := self._rows(query, (after,)):
            yield from (dict(zip(schema.FETCH_COLUMNS, row[:-1], strict=True)) for row in rows)
            after = rows[-1][-1]

    def list_errors(self) -> Iterator[dict[str, Any]]:
        """In batches: a slow reader delays no checkpoint."""
        names = ", ".join(schema.ERROR_COLUMNS)
        query = f"SELECT {names} FROM errors WHERE (key, cause) > (?, ?) ORDER BY key, cause LIMIT {_BATCH}"
        after: tuple[bytes, str] = (b"", "")
        while rows := self._rows(query, after):
            yield from (dict(zip(schema.ERROR_COLUMNS, row, strict=True)) for row in rows)
            after = rows[-1][0], rows[-1][1]

    def list_pages_of_more_links(self, than: int, most: int) -> list[tuple[str, int]]:
        """(URL, links) of pages with more than `than` links. Below `MANY_LINKS` such pages are frequent, and no index
        is needed."""
        indexed = f"links > {schema.MANY_LINKS} AND" if than >= schema.MANY_LINKS else ""
        rows = self._rows(f"SELECT url, links FROM pages WHERE {indexed} links > ? LIMIT ?", (than, most))
        return [(url, links) for url, links in rows]

    def host(self, host: str) -> HostState | None:
        row = self._row(f"SELECT {', '.join(HostState.__struct_fields__)} FROM hosts WHERE host = ?", (host,))
        return None if row is None else HostState(*row)

    def hosts(self) -> Iterator[HostState]:
        """In batches: a slow reader delays no checkpoint."""
        names = ", ".join(HostState.__struct_fields__)
        query, after = f"SELECT {names} FROM hosts WHERE host > ? ORDER BY host LIMIT {_BATCH}", ""
        while rows := self._rows(query, (after,)):
            yield from (HostState(*row) for row in rows)
            after = rows[-1][0]

    def longest_crawl_delay(self) -> float:
        """The longest delay that a host asked for; at least a minute."""
        query = f"SELECT max(crawl_delay) FROM hosts WHERE crawl_delay > {schema.LONG_CRAWL_DELAY}"
        return float(self._rows(query)[0][0] or schema.LONG_CRAWL_DELAY)

    def hosts_at(self, address: str, most: int) -> int:
        """How many hosts were contacted at an address; counts up to `most`."""
        rows = self._rows("SELECT count(*) FROM (SELECT 1 FROM hosts WHERE address = ? LIMIT ?)", (address, most))
        return int(rows[0][0])

    def fetched_of_domain(self, domain: str) -> int:
        """Answers of all hosts of a registrable domain, without robots.txt and recrawls."""
        query = "SELECT coalesce(sum(fetched - recrawled), 0) FROM hosts WHERE domain = ?"
        return int(self._rows(query, (domain,))[0][0])

    def list_hosts_of_domain(self, domain: str, most: int) -> list[str]:
        """Up to `most` contacted hosts of a registrable domain."""
        query = "SELECT host FROM hosts WHERE domain = ? ORDER BY host LIMIT ?"
        return [host for (host,) in self._rows(query, (domain, most))]

    def refused_more(self, host: str) -> dict[str, int]:
        """How many links of a host were refused and only counted, by cause."""
        return dict(self._rows("SELECT cause, count FROM refused_more WHERE host = ? ORDER BY cause", (host,)))

    def list_ended_for(self, state: str, cause: str) -> Iterator[tuple[str, str, int, str]]:
        """(URL, host, depth, kind) of each page and sitemap file that ended in this state, for this cause."""
        for page in self.pages(PageFilter(states=(state,))):
            if page["cause"] == cause:
                yield page["url"], page["host"], page["depth"], page["kind"]

    def robots(self, origin: str) -> RobotsCopy | None:
        row = self._row(f"SELECT {', '.join(schema.ROBOTS_FIELDS)} FROM robots WHERE origin = ?", (origin,))
        return None if row is None else RobotsCopy(*row)

    def failed_seeds(self, most: int) -> list[tuple[str, str, str]]:
        """(URL, cause, detail) of up to `most` seeds, or targets of their redirects, without a good answer."""
        query = f"SELECT url, cause, detail FROM pages WHERE {_WITHOUT_ANSWER} ORDER BY discovered_at, key LIMIT ?"
        return [(url, cause, detail) for url, cause, detail in self._rows(query, (most,))]

    def retries(self, most: int) -> list[Failed]:
        return [Failed(*row) for row in self._rows(f"SELECT {_RETRY} FROM retries ORDER BY key LIMIT ?", (most,))]

    def retry(self, key: bytes) -> Failed | None:
        row = self._row(f"SELECT {_RETRY} FROM retries WHERE key = ?", (key,))
        return None if row is None else Failed(*row)

    def seeds_without_answer(self) -> Iterator[tuple[str, bytes, str]]:
        """(URL, key, via) of all such seeds, read in batches. Skips those that only another seed or another --exclude
        could help."""
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
        """The newest order for each domain, including those that lift it."""
        rows = self._rows("SELECT domain, reason, at, lifted FROM blacklist ORDER BY domain")
        return [Blacklisted(domain, reason, at, bool(lifted)) for domain, reason, at, lifted in rows]

    def host_orders(self) -> list[HostOrder]:
        query = f"SELECT {', '.join(HostOrder.__struct_fields__)} FROM host_orders ORDER BY host"
        return [HostOrder(*row) for row in self._rows(query)]

    def scope(self) -> Iterator[str]:
        """Reads row by row: there may be a million seeds."""
        query = "SELECT rowid, hrefs FROM scope WHERE rowid > ? ORDER BY rowid LIMIT ?"
        after = 0
        while rows := self._rows(query, (after, _SCOPE_BATCH)):
            yield "\n".join(hrefs for _, hrefs in rows)
            after = rows[-1][0]

    def unfinished_seeds(self) -> list[tuple[str, int]]:
        """(source, how many seeds were taken) of sources whose seeds are incomplete."""
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

    def list_link_locations(self, file: str, selected: PageFilter = ALL_PAGES) -> Iterator[tuple[int, int, bytes, str]]:
        query, values = make_link_query(file, selected)
        yield from ((offset, index, key, url) for offset, index, key, url in self._rows(query, values))

    def pages_without_links(self) -> Iterator[dict[str, Any]]:
        """Pages that have links which are not stored, by key; read in batches."""
        query = f"SELECT {_PAGE_NAMES} FROM pages WHERE key > ? AND {_WITHOUT_LINKS} ORDER BY key LIMIT {_BATCH}"
        after = b""
        while rows := self._rows(query, (after,)):
            yield from map(_make_page, rows)
            after = rows[-1][0]

    def count_without_links(self) -> int:
        return int(self._rows(f"SELECT count(*) FROM pages WHERE {_WITHOUT_LINKS}")[0][0])

    def read_columns(self, columns: Sequence[str], selected: PageFilter = ALL_PAGES) -> Iterator[tuple[Any, ...]]:
        """In batches, by row number: in the order of keys, each row would be read from a random place."""
        where, values = make_condition(selected)
        names = ", ".join(map(_check_column, columns))
        query = f"SELECT rowid, {names} FROM pages WHERE rowid > ? AND {where} ORDER BY rowid LIMIT {_COLUMNS_BATCH}"
        after = 0
        while rows := self._rows(query, (after, *values)):
            yield from (row[1:] for row in rows)
            after = rows[-1][0]

    def list_most_frequent(self, column: str, most: int, selected: PageFilter = ALL_PAGES) -> list[tuple[Any, int]]:
        """SQLite sorts the values, on disk if they are many."""
        where, values = make_condition(selected)
        name = _check_column(column)
        query = f"""SELECT {name}, count(*) AS pages FROM pages WHERE {name} IS NOT NULL AND {where}
            GROUP BY {name} ORDER BY pages DESC, {name} LIMIT ?"""
        return [(value, pages) for value, pages in self._rows(query, (*values, most))]

    def has_ended(self, key: bytes) -> bool:
        return self._row("SELECT 1 FROM pages WHERE key = ?", (key,)) is not None

    def runs(self) -> list[tuple[int, float]]:
        rows = self._rows("SELECT sequence, started_at FROM runs ORDER BY sequence")
        return [(frame, started_at) for frame, started_at in rows]

    def last_run(self) -> dict[str, Any] | None:
        """When the last run started, when it ended and why; None for these two if it was killed or still runs."""
        row = self._row("SELECT started_at, version, ended_at, reason FROM runs ORDER BY sequence DESC LIMIT 1")
        return None if row is None else dict(zip(("started_at", "version", "ended_at", "reason"), row, strict=True))

    def unreachable(self, most: int) -> list[tuple[str, str]]:
        """(origin, reason) of origins whose URLs wait because robots.txt is unreachable."""
        unknown = "outcome = 'unreachable' AND good_at IS NULL"
        query = f"SELECT origin, detail FROM robots WHERE {unknown} ORDER BY origin LIMIT ?"
        return [(origin, detail) for origin, detail in self._rows(query, (most,))]

    def open_circuits(self, now: float, most: int) -> list[tuple[str, int, float]]:
        """(host, consecutive failures, until when) of hosts with an open circuit."""
        query = (
            "SELECT host, consecutive_failures, circuit_until FROM hosts WHERE circuit_until > ? ORDER BY host LIMIT ?"
        )
        return [(host, failures, until) for host, failures, until in self._rows(query, (now, most))]

    def totals(self) -> dict[str, Any]:
        counts: dict[str, dict[tuple[str, str], int]] = {"page": {}, "sitemap": {}, "requisite": {}}
        for kind, state, cause, count in self._rows("SELECT kind, state, cause, count FROM totals WHERE count <> 0"):
            counts.setdefault(kind, {})[state, cause] = count
        states: dict[str, int] = {}
        for (state, _), count in counts["page"].items():
            states[state] = states.get(state, 0) + count
        wanted = "'hosts', 'fetches', 'wire_bytes', 'refused_more', 'unread_links'"
        meta = dict(self._rows(f"SELECT name, value FROM meta WHERE name IN ({wanted})"))
        others = {"sitemaps": counts["sitemap"], "requisites": counts["requisite"]}
        return {"states": states, "causes": counts["page"], **others, **meta}

    def _translate_errors(self) -> AbstractContextManager[None]:
        """Translates errors of SQLite into errors of the crawl."""
        return nullcontext()

    def _exclusive(self) -> AbstractContextManager[object]:
        """Held during a write: excludes readers that share its connection."""
        return nullcontext()

    def _number(self, name: str) -> int:
        row = self._row("SELECT value FROM meta WHERE name = ?", (name,))
        return 0 if row is None else int(row[0])

    def _row(self, query: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        rows = self._rows(query, values)
        return rows[0] if rows else None

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock, self._translate_errors():
            cursor = self._reader.execute(query, values)
            if (columns := self._find_columns(cursor, query)) is None:
                return []
            rows = cursor.fetchall()
            columns.check(rows)
            return rows

    def _read_checked_rows(
        self, connection: apsw.Connection, query: str, values: Sequence[Any]
    ) -> Iterator[tuple[Any, ...]]:
        """Yields the rows one by one, checked."""
        cursor = connection.execute(query, values)
        if (columns := self._find_columns(cursor, query)) is not None:
            for row in cursor:
                columns.check((row,))
                yield row

    def _find_columns(self, cursor: apsw.Cursor, query: str) -> Columns | None:
        """None if there are no rows."""
        columns = self._columns.get(query)
        if columns is None:
            try:
                columns = self._columns[query] = Columns(
                    cursor.description_full, self._path, is_outer_join="LEFT JOIN" in query
                )
            except apsw.ExecutionCompleteError:
                return None
        return columns


def _format_applied_name(partition: int) -> str:
    return f"applied of {partition}" if partition else "applied"


_PAGE_NAMES = ", ".join(schema.PAGE_COLUMNS)
_URL = schema.PAGE_COLUMNS.index("url")
_WITHOUT_ANSWER = """depth = 0 AND kind = 'page' AND via IN ('seed', 'redirect', 'recrawl')
    AND state IN ('failed', 'gone', 'blocked', 'refused')"""
_WITHOUT_LINKS = "links_file IS NULL AND links > 0 AND state IN ('completed', 'duplicate')"


def make_link_query(file: str, selected: PageFilter) -> tuple[str, list[Any]]:
    """The query of `list_link_locations`, and its values."""
    where, values = make_condition(selected)
    query = f"""SELECT links_offset, links_index, key, url FROM pages WHERE links_file = ? AND {where}
        ORDER BY links_offset, links_index"""
    return query, [file, *values]


def _check_column(name: str) -> str:
    if name not in schema.PAGE_COLUMNS:
        raise ValueError(f"pages have no column {name!r}")
    return name


def _leave_out_reserved(
    pages: Iterator[dict[str, Any]], purpose: str, leave_out: Callable[[dict[str, Any]], None]
) -> Iterator[dict[str, Any]]:
    """SQL cannot read signals; most pages of a host have the same, and are judged once."""
    for page in pages:
        if is_reserved(page["usage"], purpose):
            leave_out(page)
        else:
            yield page


def _make_page(row: tuple[Any, ...]) -> dict[str, Any]:
    """Restores the values of the event: SQLite has neither booleans nor unsigned 64-bit numbers."""
    page = dict(zip(schema.PAGE_COLUMNS, row, strict=True))
    page["simhash"] = None if page["simhash"] is None else page["simhash"] % (1 << 64)
    page["truncated"], page["noindex"] = bool(page["truncated"]), bool(page["noindex"])
    page["changed"] = None if page["changed"] is None else bool(page["changed"])
    return page
