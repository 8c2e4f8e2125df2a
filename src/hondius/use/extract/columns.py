"""The columns of extracted rows: some of the page, then the fields."""

from collections.abc import Sequence
from typing import Any

import msgspec

from hondius.use.export.columns import Column, ColumnType, find_columns
from hondius.use.export.plain import format_time
from hondius.use.extract.rules import FieldRule, RuleSet

_TYPES = {
    "number": ColumnType.NUMBER,
    "price": ColumnType.NUMBER,
    "integer": ColumnType.INTEGER,
    "date": ColumnType.TIME,
    "exists": ColumnType.BOOLEAN,
}
"""All others are text."""


def list_columns(rules: RuleSet) -> tuple[Column, ...]:
    return (*find_columns(rules.columns), *(_make_column(field) for field in rules.fields))


def _make_column(field: FieldRule) -> Column:
    """Its values are never read from the page: a page may have many rows."""
    kind = ColumnType.JSON if field.all else _TYPES.get(field.type, ColumnType.TEXT)
    return Column(field.name, kind, f"extracted by {field.name}", lambda subject: None)


def make_values(rules: RuleSet, found: Sequence[Any]) -> tuple[Any, ...]:
    """The values of a row, as formats of exports expect them."""
    return tuple(_make_value(field, value) for field, value in zip(rules.fields, found, strict=True))


def _make_value(field: FieldRule, value: Any) -> Any:
    if not field.all:
        return value
    return msgspec.json.encode([format_time(one) for one in value] if field.type == "date" else value)
