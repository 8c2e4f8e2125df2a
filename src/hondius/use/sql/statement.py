"""Checks a query before anything runs: one SELECT, EXPLAIN, DESCRIBE or SHOW, over the tables of a crawl.

DuckDB's own parser decides what a query is; there is no second grammar here that could disagree with it.
"""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from hondius.errors import WrongUse
from hondius.sanitise import replace_surrogates
from hondius.use.sql.engine import connect, load_duckdb, shorten_error
from hondius.use.sql.limits import MAX_QUERY, Limits
from hondius.use.sql.syntax import find_reads, is_description
from hondius.use.sql.tables import TABLES

if TYPE_CHECKING:
    import duckdb

PARSER = Limits(memory=256 << 20)
ALLOWED = "a query is one SELECT (or WITH, EXPLAIN, DESCRIBE, SHOW)"
_EXPLAIN = ("explain", "analyze")


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
    kind = statements[0].type.name
    if kind not in ("SELECT", "EXPLAIN"):
        raise WrongUse(f"{ALLOWED}; this is {kind.replace('_', ' ')}, which could change or reach something")
    selected = _remove_explain(text) if kind == "EXPLAIN" else text
    try:
        (serialised,) = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [selected]).fetchall()[0]
    except error_type as error:
        raise WrongUse(shorten_error(error)) from None
    tree = msgspec.json.decode(serialised)
    if tree.get("error"):
        raise WrongUse(f"{ALLOWED}: {tree.get('error_message', 'this is none')}")
    return tree["statements"], kind == "EXPLAIN"


def _remove_explain(text: str) -> str:
    """The query after EXPLAIN or EXPLAIN ANALYZE, cut where DuckDB's own scanner finds the words."""
    written = text.encode()
    starts = [start for start, kind in load_duckdb().tokenize(text) if kind.name != "comment"]
    for start, end in zip(starts, [*starts[1:], len(written)], strict=True):
        if written[start:end].decode(errors="replace").strip().lower() not in _EXPLAIN:
            return written[start:].decode(errors="replace")
    return ""
