"""Compares the catalog with the reference."""

from itertools import zip_longest
from typing import Any

from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.catalog.schema import TABLES
from hondius.use.verify.report import Report


def check_catalog(catalog: EmbeddedCatalog, reference: EmbeddedCatalog, remedy: str, report: Report) -> None:
    """Both must be at the same frame."""
    rows = 0
    for table in TABLES:
        for found, expected in zip_longest(catalog.table(table), reference.table(table)):
            rows += 1
            if found != expected:
                report.add_problem(
                    f"crawl.db differs from the log in {table}", remedy, _describe_difference(found, expected)
                )
                if found is None or expected is None or found[0] != expected[0]:
                    break  # an extra or missing row: the rows after it are shifted, and comparing them is useless
    report.counts["rows of crawl.db"] = rows


def _describe_difference(found: tuple[Any, ...] | None, expected: tuple[Any, ...] | None) -> str:
    if found is None or expected is None:
        return "a row is " + ("missing" if found is None else "too many")
    first = next(index for index, pair in enumerate(zip(found, expected, strict=True)) if pair[0] != pair[1])
    return f"{_format_value(found[0])}: {_format_value(found[first])} instead of {_format_value(expected[first])}"


def _format_value(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)[:80]
