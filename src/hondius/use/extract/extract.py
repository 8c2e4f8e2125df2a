"""Writes extracted rows: JSON lines, CSV or Parquet, by the formats of exports."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from hondius.errors import BadSetting, Broken
from hondius.model import PageFilter, PageOrder
from hondius.opening import Crawl
from hondius.use.export.formats.choice import FORMATS, find_format, guess_format
from hondius.use.export.formats.format import Format, Job
from hondius.use.export.rows import Row
from hondius.use.export.targets import target_of
from hondius.use.extract.columns import list_columns
from hondius.use.extract.rows import ExtractedRows, Totals, new_totals, select_for_rules
from hondius.use.extract.rules import RuleSet
from hondius.use.unread_bodies import describe_unread

ROW_FORMATS = ("jsonl", "csv", "parquet")


def find_row_format(name: str | None, output: str | None) -> Format:
    """By its name, otherwise by that of the output. Raises BadSetting."""
    if name is not None and name not in FORMATS:
        raise BadSetting(f"unknown --format {name}; choose from {', '.join(ROW_FORMATS)}")
    found = guess_format(output, is_partitioned=False) if name is None else find_format(name)
    if found.name not in ROW_FORMATS:
        raise BadSetting(f"{found.name} has no rows: choose --format {', '.join(ROW_FORMATS[:-1])} or parquet")
    return found


@dataclass(frozen=True)
class _ExtractionJob(Job):
    """An export whose rows come from rules."""

    extracted: Iterator[Row] = field(default_factory=lambda: iter(()))

    def rows(self, order: PageOrder = "key") -> Iterator[Row]:
        return self.extracted


def extract_rows(
    crawl: Crawl,
    rules: RuleSet,
    selected: PageFilter,
    form: Format,
    output: str | None,
    show: Callable[[int], None] = lambda rows: None,
) -> Totals:
    """`output`: a file, `s3://…`, or None: standard output. `show` is called with the rows so far."""
    form.check()
    totals = new_totals(rules)
    chosen = select_for_rules(rules, selected)
    rows = ExtractedRows(crawl, rules, chosen).read(totals, show)
    with target_of(output, is_directory=False) as target:
        form.write(_ExtractionJob(crawl, chosen, list_columns(rules), extracted=rows), target)
    return totals


def refuse_damaged(totals: Totals, crawl: str) -> None:
    """Raises Broken if some bodies could not be read: the rows are complete except for these pages."""
    if totals.damaged:
        raise Broken(describe_unread(totals.damaged, totals.first_damaged, "these pages have no rows", crawl))
