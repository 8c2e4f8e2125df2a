"""Extracts fields from the pages of a crawl by rules in a file, as rows (O1).

A `RuleSet` is made of `rules.toml`: which pages it is for, where the items of a page are, and how each field is found.
The native library applies it to the archived body of a page (`native/src/field_rules/`), on several threads. The rows
go through the formats and targets of exports. A page whose body is damaged, or that is too expensive, affects only its
own rows, and is counted.

    rules.py      what a user may write, and the errors in it
    file.py       reads a file of rules
    columns.py    the columns of the rows
    rows.py       rows of a crawl, in order
    extract.py    writes them
    trial.py      what each rule finds on one page
"""

from hondius.use.extract.extract import extract_rows, find_row_format, refuse_damaged
from hondius.use.extract.file import read_rules
from hondius.use.extract.rows import ExtractedRows, Totals, new_totals, select_for_rules
from hondius.use.extract.rules import RuleSet, parse_rules
from hondius.use.extract.trial import Tried, describe_found, find_refusal, find_refusal_of_url, try_rules

__all__ = [
    "ExtractedRows",
    "RuleSet",
    "Totals",
    "Tried",
    "describe_found",
    "extract_rows",
    "find_refusal",
    "find_refusal_of_url",
    "find_row_format",
    "new_totals",
    "parse_rules",
    "read_rules",
    "refuse_damaged",
    "select_for_rules",
    "try_rules",
]
