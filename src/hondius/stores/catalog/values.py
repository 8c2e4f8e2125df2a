"""Which values a column may hold.

SQLite stores a value of any type in any column, and a crawl directory may come from a stranger. A value that Hondius
never writes counts as damage, like an unreadable page of the file: the catalog is rebuilt from the log.
"""

from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, NamedTuple, get_args

import apsw
from msgspec.structs import fields

from hondius.errors import BrokenView
from hondius.model import EARLIEST, LATEST, Blacklisted, Event, Failed, Finished, HostOrder, HostState, RobotsCopy
from hondius.stores.catalog import schema

_TYPES: dict[str, frozenset[type]] = {
    "TEXT": frozenset({str}),
    "BLOB": frozenset({bytes}),
    "INTEGER": frozenset({int}),
    "REAL": frozenset({int, float}),
}
_EVENTS: dict[str, type[Event]] = {
    "pages": Finished,
    "hosts": HostState,
    "robots": RobotsCopy,
    "retries": Failed,
    "blacklist": Blacklisted,
    "host_orders": HostOrder,
}
_LARGEST = 2.0**53
"""The largest count, length or offset."""
_LARGEST_OF = {"depth": 2.0**32 - 1, "hops": 2.0**32 - 1}
_WITH_SIGN = {("pages", "simhash"), ("totals", "count"), ("meta", "value")}


class Column(NamedTuple):
    name: str
    types: frozenset[type]
    least: float
    most: float


_COMPUTED = Column("a computed value", frozenset({int, float, NoneType}), -(2.0**63), 2.0**63)


class Columns:
    """The columns that a query returns."""

    def __init__(self, described: Iterable[tuple[Any, ...]], path: Path, *, is_outer_join: bool = False) -> None:
        """`described`: rows of `apsw.Cursor.description_full`. Columns of other tables, such as the schema itself, are
        not checked. `path`: of the catalog. `is_outer_join`: values of a table may be missing in a row."""
        self._path = path
        self._is_outer_join = is_outer_join
        known = _list_columns()
        self._columns = [
            _COMPUTED if table is None else known.get((table, origin)) for _, _, _, table, origin in described
        ]
        self._numbers = [
            (index, column)
            for index, column in enumerate(self._columns)
            if column is not None and column.types & {int, float}
        ]
        self._good: set[tuple[type, ...]] = set()
        """Type combinations that were already checked; a whole catalog has few of them."""

    def check(self, rows: Iterable[Sequence[Any]]) -> None:
        """Raises BrokenView."""
        for row in rows:
            types = tuple(map(type, row))
            if types not in self._good:
                self._check_types(types)
                self._good.add(types)
            for index, column in self._numbers:
                value = row[index]
                if value is not None and not column.least <= value <= column.most:
                    raise BrokenView(self._path, f"holds {value!r} as {column.name}, which Hondius never writes")

    def _check_types(self, types: tuple[type, ...]) -> None:
        for column, found in zip(self._columns, types, strict=True):
            if column is None or (found is NoneType and self._is_outer_join):
                continue
            if found not in column.types:
                raise BrokenView(self._path, f"holds a value of type {found.__name__} as {column.name}")


@cache
def _list_columns() -> dict[tuple[str, str], Column]:
    found: dict[tuple[str, str], Column] = {}
    with closing(apsw.Connection(":memory:")) as connection:
        connection.execute(schema.SCHEMA, (0, 0))
        for table in schema.TABLES:
            required = _list_required(table)
            for row in connection.execute(f"PRAGMA table_xinfo({table})"):
                name, declared, not_null = row[1], row[2].removesuffix(" GENERATED ALWAYS"), row[3]
                is_required = not_null or name in required
                types = _TYPES[declared] | (frozenset() if is_required else {NoneType})
                found[table, name] = Column(f"{table}.{name}", types, *_find_range(table, name, declared))
    return found


def _find_range(table: str, name: str, declared: str) -> tuple[float, float]:
    if declared == "REAL":
        return EARLIEST, LATEST
    if (table, name) in _WITH_SIGN:
        return -(2.0**63), 2.0**63
    return 0, _LARGEST_OF.get(name, _LARGEST)


def _list_required(table: str) -> frozenset[str]:
    """Columns that are never NULL."""
    event = _EVENTS.get(table)
    if event is None:
        return frozenset()
    return frozenset(
        schema.RENAMED.get(field.name, field.name)
        for field in fields(event)
        if not isinstance(field.type, UnionType) or NoneType not in get_args(field.type)
    )
