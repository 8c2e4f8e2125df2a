"""Runs an export: from a format, pages and columns to a target."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hondius.errors import BadSetting, Broken
from hondius.model import ALL_PAGES, PageFilter
from hondius.opening import Crawl
from hondius.use.export.columns import Column, find_columns
from hondius.use.export.formats import FORMATS, Format, Job
from hondius.use.export.formats.format import Partition, Tally
from hondius.use.export.targets import target_of
from hondius.use.unread_bodies import describe_unread


@dataclass(frozen=True)
class Request:
    """What a user asks for."""

    format: Format = FORMATS["jsonl"]
    output: str | None = None
    """A file, a directory, `s3://…`, or None: standard output."""
    selected: PageFilter = ALL_PAGES
    columns: Sequence[str] = ()
    """Empty: those of the format."""
    added: Sequence[str] = ()
    """Columns after them, if they are not there yet."""
    noindex: bool = False
    copies: bool | None = None
    """None: as the format does by default."""
    partition_by: Partition | None = None


def export_pages(
    crawl: Crawl,
    request: Request,
    show: Callable[[int], None] = lambda rows: None,
    tally: Tally | None = None,
) -> int:
    """Returns the number of rows, or of pages. Raises Broken if the content of some pages could not be read: the
    export is complete except for these. `show` is called with the rows so far. A caller that needs more than the
    number of rows passes a `tally`, which has a `show` of its own."""
    form = request.format
    form.check()
    columns = choose_columns(form, request.columns, request.added)
    selected = form.narrow(request.selected, noindex=request.noindex, copies=request.copies)
    tally = tally or Tally(show)
    tally.left_out.purpose = selected.purpose
    with target_of(request.output, is_directory=form.makes_directory(request.partition_by)) as target:
        form.write(Job(crawl, selected, columns, request.noindex, request.partition_by, tally), target)
    if tally.damaged:
        raise Broken(_describe_damage(tally, crawl.name))
    return tally.rows


def choose_columns(form: Format, names: Sequence[str], added: Sequence[str] = ()) -> tuple[Column, ...]:
    if (names or added) and not form.columns:
        raise BadSetting(f"{form.name} has no columns to choose: leave out --columns, --text and --body")
    chosen = tuple(names) or form.columns
    return find_columns((*chosen, *(name for name in added if name not in chosen)))


def _describe_damage(tally: Tally, crawl: str) -> str:
    effect = "the export has these pages without their content"
    return describe_unread(tally.damaged, tally.first_damaged, effect, crawl)
