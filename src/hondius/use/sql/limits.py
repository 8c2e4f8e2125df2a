"""What a query may use."""

import os
from dataclasses import dataclass
from typing import Any

from hondius.errors import BadSetting

MAX_QUERY = 100_000
"""Characters of a query."""
MAX_THREADS = 4
LEAST_MEMORY = 64 << 20
MOST_SECONDS = 7 * 86_400


@dataclass(frozen=True)
class Limits:
    seconds: float = 60.0
    """From the start until the last row, loading of the tables included."""
    rows: int | None = None
    """More are left out; None: no limit."""
    memory: int = 1 << 30
    """Bytes for DuckDB. What does not fit is written to a private temporary directory."""
    result: int | None = 256 << 20
    """Bytes of all rows; None: no limit."""
    scratch: int = 16 << 30
    """Bytes of temporary files; at most half of what is free on their disk."""

    def __post_init__(self) -> None:
        _check_number("seconds", self.seconds, int | float)
        _check_number("memory", self.memory, int)
        _check_number("rows", self.rows, int | None)
        if self.memory < LEAST_MEMORY:
            raise BadSetting(f"a query needs at least {LEAST_MEMORY >> 20} MiB of memory")
        if not 0 < self.seconds <= MOST_SECONDS:
            raise BadSetting(f"a query may take more than 0 and at most {MOST_SECONDS:,} seconds")
        if self.rows is not None and self.rows < 1:
            raise BadSetting("a query returns at least one row: leave out the limit of rows, or raise it")


def _check_number(name: str, value: object, expected: Any) -> None:
    if not isinstance(value, expected) or isinstance(value, bool):
        kind = "number" if isinstance(1.5, expected) else "whole number"
        raise BadSetting(f"{name}={value!r} is no limit: give a {kind}")


def count_threads() -> int:
    return max(1, min(MAX_THREADS, os.cpu_count() or 1))
