"""Walks the tree of a query that DuckDB's parser made, as JSON: what it reads, or why it is refused.

Everything that is not known to be harmless is refused: tables, functions that return tables, kinds of sources. The
locks of the connection would refuse most of it again.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hondius.errors import WrongUse
from hondius.use.sql.tables import TABLES

Node = dict[str, Any]

QUERIES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
"""A WITH clause may also name an INSERT or a COPY."""
SOURCES = frozenset(
    {"BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST", "EMPTY", "EMPTY_FROM", "SHOW_REF", "PIVOT"}
)
TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest", "json_each", "json_tree", "repeat_row"})
REFUSED_FUNCTIONS = frozenset(
    {
        *("getenv", "current_setting", "getvariable", "write_log", "sleep", "sleep_ms", "pg_sleep"),
        *("nextval", "currval", "query", "query_table", "json_execute_serialized_sql", "from_substrait"),
    }
)
MOST_LEVELS = 900
"""Of the tree: where Python stops to decode it differs between its versions."""
TOO_DEEP = "the query is nested too deeply, or joins too many tables: make it simpler"
_CTE_NAME = re.compile(r"(?!duckdb_|pragma_|pg_|[a-z_]*_(?:master|schema))[a-z_][a-z0-9_]*")
"""Not the name of a file, nor of a view of DuckDB itself: a query could mean either outside of the WITH clause."""


@dataclass
class Reads:
    """What a query reads."""

    tables: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """Everything that may be the name of a column, in lower case."""
    has_star: bool = False
    """Whether it reads columns that it does not name."""


def find_reads(tree: Any) -> Reads:
    """Raises WrongUse if the query reads anything else than the tables of a crawl."""
    nodes = list(_walk(tree))
    named = {name for node in nodes for name in _list_cte_names(node)}
    for name in named:
        if not _CTE_NAME.fullmatch(name):
            raise WrongUse(f"{name!r} is no name for a WITH clause here: use letters, digits and underscores")
    reads, aliases, alone = Reads(), set[str](), set[str]()
    for node in nodes:
        _check_query(node)
        _check_source(node)
        match node.get("type"):
            case "BASE_TABLE":
                _check_table(node, named)
                reads.tables.add(node["table_name"].lower())
            case "TABLE_FUNCTION":
                _check_table_function(node)
            case "SHOW_REF":
                _check_show(node, reads)
            case "COLUMN_REF":
                path = [name.lower() for name in node.get("column_names", ())]
                reads.names.update(path)
                alone.update(path if len(path) == 1 else ())
            case "STAR" | "PIVOT":
                reads.has_star = True
            case "JOIN":
                reads.names.update(name.lower() for name in node.get("using_columns", ()))
                reads.has_star |= node.get("ref_type") == "NATURAL"
        if str(node.get("function_name", "")).lower() in REFUSED_FUNCTIONS:
            raise WrongUse(f"the function {node['function_name']} is not available: a query reads the crawl only")
        if "sample" in node and node.get("alias"):
            aliases.add(str(node["alias"]).lower())
    reads.has_star |= not alone.isdisjoint(aliases | reads.tables)  # `SELECT p FROM pages p`: a row as a value
    reads.tables &= TABLES.keys()
    return reads


def is_description(tree: Any) -> bool:
    """Whether it is DESCRIBE or SHOW, which need columns and no rows."""
    source = tree[0]["node"].get("from_table") or {}
    return source.get("type") == "SHOW_REF" and source.get("show_type") in ("DESCRIBE", "SHOW_SPECIAL")


def _walk(tree: Any) -> Iterator[Node]:
    """All objects of the tree. Not recursive: a query may be nested deeply."""
    waiting = [(tree, 0)]
    while waiting:
        node, level = waiting.pop()
        if level > MOST_LEVELS:
            raise WrongUse(TOO_DEEP)
        if isinstance(node, dict):
            yield node
            waiting.extend((value, level + 1) for value in node.values())
        elif isinstance(node, list):
            waiting.extend((value, level + 1) for value in node)


def _list_cte_names(node: Node) -> Iterator[str]:
    clauses = node.get("cte_map")
    for entry in clauses.get("map", ()) if isinstance(clauses, dict) else ():
        yield str(entry["key"]).lower()


def _check_query(node: Node) -> None:
    kind = str(node.get("type", ""))
    if kind.endswith("_NODE") and kind not in QUERIES:
        raise WrongUse(f"a query only reads: {kind.partition('_')[0]} is refused, also in a WITH clause")


def _check_source(node: Node) -> None:
    source = node.get("from_table")
    sources = [source] if isinstance(source, dict) else []
    if node.get("type") == "JOIN":
        sources += [node["left"], node["right"]]
    for one in sources:
        if one.get("type") not in SOURCES:
            raise WrongUse(f"a query cannot read from a source of the kind {one.get('type')}")


def _check_table(node: Node, named: set[str]) -> None:
    path = _list_path(node)
    if len(path) != 1 or path[0].lower() not in TABLES.keys() | named:
        raise WrongUse(f"there is no table {'.'.join(path)!r}; the tables are {', '.join(TABLES)}")


def _list_path(node: Node) -> list[str]:
    """Catalog, schema and name, as far as they are given."""
    parts = (str(node.get(part) or "") for part in ("catalog_name", "schema_name", "table_name"))
    qualified = (node.get("qualified_name") or {}).get("path") or ()
    return max([part for part in parts if part], [str(part) for part in qualified], key=len)


def _check_table_function(node: Node) -> None:
    name = str(node["function"].get("function_name", "")).lower()
    if name not in TABLE_FUNCTIONS:
        raise WrongUse(f"a query cannot read from {name}(): the tables are {', '.join(TABLES)}")


def _check_show(node: Node, reads: Reads) -> None:
    """DESCRIBE, SHOW and SUMMARIZE. They name a table, or have a query, which is checked as such."""
    path = [part.strip('"').lower() for part in _list_path(node)]
    if path not in ([], ["tables"], *([name] for name in TABLES)):
        raise WrongUse(f"there is no table {'.'.join(path)!r}; the tables are {', '.join(TABLES)}")
    reads.has_star = True
    reads.tables.update(TABLES if path == ["tables"] else path)
