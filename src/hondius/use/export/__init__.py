"""Exports a crawl to files for other programs (S6): streaming, in constant memory, also while the crawl runs.

A `Request` names a format, pages, columns and an output. Pages come from the catalog, filtered there. A `RowReader`
reads the values of their columns: from the catalog, or from the archive through `use/content`. A format writes the
rows, or copies the records, to a target.

    export.py        runs an export
    columns.py       the table of all columns; columns_page.py: their page in the documentation
    plain.py         their values in JSON
    subject.py       a page with its content, as columns read it
    rows.py          rows, in order; parallel.py: several pages at once
    formats/         one file a format
    targets/         files, directories, standard output, S3
    records.py       copies WARC records; warc_file.py, sorted_lines.py: what their files need beside
    arrow.py         rows as Arrow tables and data frames, without a file
"""

from hondius.use.export.columns import describe_columns
from hondius.use.export.export import Request, export_pages
from hondius.use.export.formats.choice import FORMATS, choose_format, refuse_file_name
from hondius.use.export.formats.format import Tally

__all__ = [
    "FORMATS",
    "Request",
    "Tally",
    "choose_format",
    "describe_columns",
    "export_pages",
    "refuse_file_name",
]
