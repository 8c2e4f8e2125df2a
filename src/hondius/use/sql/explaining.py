"""What a message of DuckDB about a query means for its user."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from hondius.errors import HondiusError, WrongUse
from hondius.use.sql.tables import TABLES

_MISSING = re.compile(r'Referenced column "(.+?)" not found|does not have a column named "(.+?)"')
_CANDIDATES = re.compile(r'"([^"]+)"')
_WRONG = ("Binder Error", "Catalog Error", "Parser Error")
"""Of the query itself, before any row is read."""


def explain_message(message: str, tables: Sequence[str]) -> HondiusError:
    """`tables`: those that the query reads. DuckDB knows only the columns that were loaded for it, so it cannot suggest
    others."""
    if missing := _MISSING.search(message):
        return WrongUse(_describe_missing(missing[1] or missing[2], message[missing.end() :], tables))
    return WrongUse(message) if message.startswith(_WRONG) else HondiusError(message)


def _describe_missing(name: str, candidates: str, tables: Sequence[str]) -> str:
    known = [column.name for table in tables for column in TABLES[table].columns] + _CANDIDATES.findall(candidates)
    close = get_close_matches(name.lower(), known, n=1)
    cure = f"did you mean {close[0]}?" if close else "without a query, `hondius sql` lists all columns"
    return f"there is no column {name}: {cure}"
