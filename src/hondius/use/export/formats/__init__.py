"""The formats of exports: one file a format, each behind the interface `Format`.

format.py      the interface, and what a format gets: a `Job`
choice.py      which format a name means
jsonl.py       JSON lines
csv.py         CSV
parquet.py     Apache Parquet; needs the extra `parquet`
markdown.py    a Markdown file a page (`file_names.py`: its name)
warc.py        WARC records, copied from the archive (`records.py`)
wacz.py        a web archive for browsers: records, index and list of pages in a ZIP file
"""

from hondius.use.export.formats.choice import FORMATS, choose_format
from hondius.use.export.formats.format import Format, Job

__all__ = ["FORMATS", "Format", "Job", "choose_format"]
