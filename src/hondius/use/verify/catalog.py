"""The catalog against its twin."""

from itertools import zip_longest
from typing import Any

from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.catalog.schema import TABLES
from hondius.use.verify.report import Report


def check_catalog(catalog: EmbeddedCatalog, twin: EmbeddedCatalog, remedy: str, report: Report) -> None:
    """Both stand at the same frame."""
    rows = 0
    for table in TABLES:
        for found, expected in zip_longest(catalog.table(table), twin.table(table)):
            rows += 1
            if found != expected:
                report.problem(f"crawl.db differs from the log in {table}", remedy, _shown(found, expected))
                if found is None or expected is None or found[0] != expected[0]:
                    break  # a row too many or too few: what follows is shifted, and says nothing
    report.counts["rows of crawl.db"] = rows


def _shown(found: tuple[Any, ...] | None, expected: tuple[Any, ...] | None) -> str:
    if found is None or expected is None:
        return "a row is " + ("missing" if found is None else "too many")
    first = next(index for index, pair in enumerate(zip(found, expected, strict=True)) if pair[0] != pair[1])
    return f"{_text(found[0])}: {_text(found[first])} instead of {_text(expected[first])}"


def _text(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)[:80]
