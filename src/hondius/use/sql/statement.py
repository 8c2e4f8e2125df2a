"""Checks a query before anything runs: one SELECT, EXPLAIN, DESCRIBE or SHOW, over the tables of a crawl.

DuckDB's own parser decides what a query is; there is no second grammar here that could disagree with it.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from hondius.errors import WrongUse
from hondius.sanitise import replace_surrogates
from hondius.use.sql.engine import connect, load_duckdb, shorten_error
from hondius.use.sql.limits import MAX_QUERY, Limits
from hondius.use.sql.syntax import TOO_DEEP, find_reads, is_description
from hondius.use.sql.tables import TABLES

if TYPE_CHECKING:
    import duckdb

PARSER = Limits(memory=256 << 20)
ALLOWED = "a query is one SELECT (or WITH, EXPLAIN, DESCRIBE, SHOW)"
MOST_NESTED = 200
"""Brackets in brackets. DuckDB needs seconds to parse a few thousand of them, and its parser cannot be interrupted."""
_EXPLAIN = ("explain", "analyze")
_OPEN, _CLOSED = b"([{", b")]}"


@dataclass(frozen=True)
class Statement:
    text: str
    columns: Mapping[str, tuple[str, ...]]
    """The tables that it reads, and which columns of each."""
    needs_rows: bool = True
    """False for DESCRIBE and SHOW."""
    is_explanation: bool = False
    """Whether it is an EXPLAIN."""


def check_statement(query: str) -> Statement:
    """Raises WrongUse, in one line, for anything but a query over the tables of a crawl."""
    text = replace_surrogates(query)
    if len(text) > MAX_QUERY:
        raise WrongUse(f"the query has {len(text):,} characters; at most {MAX_QUERY:,} are read")
    if _count_nested(text) > MOST_NESTED:
        raise WrongUse(f"the query has more than {MOST_NESTED} brackets inside each other: make it simpler")
    with closing(connect(PARSER)) as connection:
        tree, is_explanation = _parse(connection, text)
    reads = find_reads(tree)
    columns = {
        table.name: table.choose(reads.names, has_star=reads.has_star)
        for table in TABLES.values()
        if table.name in reads.tables
    }
    return Statement(text, columns, not is_description(tree), is_explanation)


def _parse(connection: "duckdb.DuckDBPyConnection", text: str) -> tuple[Any, bool]:
    """The tree of the query, and whether it is an EXPLAIN, which has no tree of its own: it is that of the query that
    it explains."""
    error_type = load_duckdb().Error
    try:
        statements = connection.extract_statements(text)
    except error_type as error:
        raise WrongUse(shorten_error(error)) from None
    if len(statements) != 1:
        raise WrongUse(f"{ALLOWED}; this text has {len(statements)} statements")
    kind = _find_kind(statements[0])
    if kind not in ("SELECT", "EXPLAIN"):
        raise WrongUse(f"{ALLOWED}; this is {kind.replace('_', ' ')}, which could change or reach something")
    selected = _remove_explain(text) if kind == "EXPLAIN" else text
    try:
        (serialised,) = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [selected]).fetchall()[0]
    except error_type as error:
        raise WrongUse(shorten_error(error)) from None
    try:
        tree = msgspec.json.decode(serialised)
    except RecursionError:
        raise WrongUse(TOO_DEEP) from None
    if tree.get("error"):
        raise WrongUse(f"{ALLOWED}: {tree.get('error_message', 'this is none')}")
    return tree["statements"], kind == "EXPLAIN"


def _find_kind(statement: "duckdb.Statement") -> str:
    try:
        return str(statement.type.name)
    except ValueError:  # the Python package has no name for some kinds
        return "no SELECT"


def _remove_explain(text: str) -> str:
    """The query after EXPLAIN or EXPLAIN ANALYZE."""
    written = text.encode()
    for start, word, _ in _list_words(text):
        if word.decode(errors="replace").strip().lower() not in _EXPLAIN:
            return written[start:].decode(errors="replace")
    return ""


def _count_nested(text: str) -> int:
    """How deep its brackets are, without those in texts and comments."""
    depth = deepest = 0
    for _, word, kind in _list_words(text):
        if kind != "operator":
            continue
        for byte in word:
            depth = max(0, depth + (byte in _OPEN) - (byte in _CLOSED))
            deepest = max(deepest, depth)
    return deepest


def _list_words(text: str) -> Iterator[tuple[int, bytes, str]]:
    """Start, bytes and kind of each word, as DuckDB's own scanner splits them, without comments."""
    written = text.encode()
    tokens = [(start, kind.name) for start, kind in load_duckdb().tokenize(text)]
    for (start, kind), (end, _) in pairwise([*tokens, (len(written), "")]):
        if kind != "comment":
            yield start, written[start:end], kind
